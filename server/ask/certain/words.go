package certain

var (
	articles     = []string{"the", "a", "an", "our", "my", "your", "its", "their", "all", "each", "every", "any", "'s"}
	prepositions = []string{"in", "at", "on", "from", "of", "for", "to", "by", "with", "via", "during", "within", "per", "across", "over"}
	// silent are words of questions, helping verbs and words for who asks.
	silent = []string{
		"what", "is", "are", "was", "were", "be", "been", "do", "did", "does", "have", "has", "had", "we", "i", "us", "me", "you", "they", "it", "there", "that",
		"please", "show", "tell", "give", "get", "got", "see", "find", "can", "could", "ok", "hi", "hello", "thanks", "go", "come", "comes", "came", "being", "should", "need", "as",
	}
	// asides are phrases that change nothing.
	asides = []string{"right now", "at the moment", "so far", "to date", "in total", "in all", "all together", "altogether", "overall", "ever"}
	// charts are words for how an answer should look, by their lemmas.
	charts = []string{"chart", "plot", "graph", "bar", "line", "histogram", "table", "draw", "create", "stack", "stacked", "color", "colour", "colored", "coloured", "axis", "x", "y", "showing", "display", "visualise", "visualize"}
	// earning are verbs of revenue and of profit alike, by their lemmas.
	earning = []string{"make", "earn", "generate", "bring"}
	// paying are verbs of what a shop pays.
	paying = []string{"spend", "pay"}
	busy   = []string{"busiest", "quietest", "busier", "quieter"}
)
