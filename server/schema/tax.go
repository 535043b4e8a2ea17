package schema

// TaxNames are what headings and people call a tax on sales.
var TaxNames = []string{"vat", "tax", "gst", "hst", "tva", "iva", "mwst"}
