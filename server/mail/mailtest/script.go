package mailtest

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"sync"
)

// Answers of a Script that are none.
const (
	Cut  = "cut"  // the connection is closed in place of an answer
	Hang = "hang" // nothing comes until the client leaves
)

// Script is a server in memory that holds one conversation and breaks it at a
// chosen moment, finer than a Sink can. It may be used in a bubble of synctest.
type Script struct {
	// Answers are what it says in place of the usual, by stage: "greeting", the name
	// of a command, a whole line that is none, or "end", which is the answer to the
	// end of a text. At "text" it has the text and not a byte of its end, and at
	// "half" the first byte; only Cut and Hang make sense there, and Cut at "half".
	Answers map[string]string

	mu       sync.Mutex
	commands []string
	texts    []string
	over     chan struct{}
}

// Dial begins the conversation.
func (s *Script) Dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	s.mu.Lock()
	s.over = make(chan struct{})
	s.mu.Unlock()
	go func() {
		defer close(s.over)
		s.Serve(server)
	}()
	return client, nil
}

// Saw waits until the conversation is over and gives the commands that came, and
// the texts that came with their end.
func (s *Script) Saw() (commands, texts []string) {
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	<-over
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commands, s.texts
}

// Serve holds the conversation on a connection, and closes it.
func (s *Script) Serve(conn net.Conn) {
	defer conn.Close()
	if !s.answer(conn, "greeting", "220 mx.example") {
		return
	}
	for r := bufio.NewReader(conn); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\r\n")
		s.mu.Lock()
		s.commands = append(s.commands, line)
		s.mu.Unlock()

		stage, _, _ := strings.Cut(line, " ")
		if !s.answer(conn, stage, s.usual(stage)) {
			return
		}
		if stage == "DATA" && s.Answers[stage] == "" && !s.take(conn, r) {
			return
		}
	}
}

func (s *Script) usual(stage string) string {
	switch stage {
	case "EHLO":
		if s.Answers["AUTH"] != "" {
			return "250-mx.example\r\n250 AUTH PLAIN"
		}
		return "250 mx.example"
	case "MAIL", "RCPT":
		return "250 ok"
	case "DATA":
		return "354 go on"
	case "QUIT":
		return "221 bye"
	}
	return "500 what is " + stage
}

// take reads a text and answers its end.
func (s *Script) take(conn net.Conn, r *bufio.Reader) bool {
	var text strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(line)
		last := strings.HasPrefix(line, "--") && strings.HasSuffix(line, "--\r\n")
		if last && !s.interrupt(conn) {
			return false
		}
	}
	s.mu.Lock()
	s.texts = append(s.texts, text.String())
	s.mu.Unlock()
	return s.answer(conn, "end", "250 taken")
}

// interrupt is what is scripted between a text and its end, of which nothing has
// been read if the client writes them apart.
func (s *Script) interrupt(conn net.Conn) bool {
	if s.Answers["half"] == Cut {
		conn.Read(make([]byte, 1))
		return false
	}
	return s.Answers["text"] == "" || s.answer(conn, "text", "")
}

// answer reports whether the conversation goes on.
func (s *Script) answer(conn net.Conn, stage, usual string) bool {
	answer, ok := s.Answers[stage]
	switch {
	case !ok:
		answer = usual
	case answer == Cut:
		return false
	case answer == Hang:
		drain(conn)
		return false
	}
	_, err := io.WriteString(conn, answer+"\r\n")
	return err == nil
}

// drain reads until the client leaves.
func drain(conn net.Conn) {
	for p := make([]byte, 512); ; {
		if _, err := conn.Read(p); err != nil {
			return
		}
	}
}
