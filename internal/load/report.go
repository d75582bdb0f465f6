package load

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// Report is what a run found.
type Report struct {
	Rooms       int       `json:"rooms"`
	People      int       `json:"people_per_room"`
	Inside      int       `json:"people_inside"` // when the meetings ended
	Joined      float64   `json:"joined_in_s"`
	Held        float64   `json:"held_s"`
	Interrupted bool      `json:"interrupted,omitempty"` // the meetings ended before their time
	Steps       []Summary `json:"steps"`
	Media       Media     `json:"media"`
	Processes   []Process `json:"processes"`
	Unread      string    `json:"processes_unread,omitempty"` // why there are no processes
	Failures    []string  `json:"failures"`                   // the first of them
	Exceeded    []string  `json:"exceeded"`                   // limits
	Unjudged    []string  `json:"unjudged"`                   // limits that could not be checked, and why
}

// Media is what people received of each other while the meetings went on.
type Media struct {
	Packets        int     `json:"packets"`
	PacketsASecond float64 `json:"packets_per_s"`
	Lost           int     `json:"lost"`
	Loss           float64 `json:"loss_percent"`
	FramesASecond  float64 `json:"frames_per_s"`
	Undecryptable  int     `json:"undecryptable_frames"`
}

// received is what came between two counts.
func received(before, after mediaclient.Reception, in time.Duration) Media {
	m := Media{Packets: after.Packets - before.Packets, Lost: max(0, after.Lost-before.Lost), Undecryptable: after.Undecryptable - before.Undecryptable}
	m.PacketsASecond = float64(m.Packets) / in.Seconds()
	m.FramesASecond = float64(after.Frames-before.Frames) / in.Seconds()
	if sent := m.Packets + m.Lost; sent > 0 {
		m.Loss = 100 * float64(m.Lost) / float64(sent)
	}
	return m
}

// Print writes the report for people.
func (r Report) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\t\n", args...) }
	line("step\tcount\tfailed\tp50 ms\tp95 ms\tp99 ms\tmax ms")
	for _, s := range r.Steps {
		line("%s\t%d\t%d\t%.0f\t%.0f\t%.0f\t%.0f", s.Step, s.Count, s.Failed, s.P50, s.P95, s.P99, s.Max)
	}
	_, _ = fmt.Fprintln(w)
	line("process\tcores, joining\tcores, meeting\tCPU ms a join\tmillicores a person\tMB\tkB a person")
	for _, p := range r.Processes {
		line("%s\t%.2f\t%.2f\t%.1f\t%.2f\t%.0f\t%.0f", p.Name, p.Joining, p.Holding, p.PerJoin, p.PerHead, p.Memory, p.PerPlace)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	var text strings.Builder
	if r.Unread != "" {
		_, _ = fmt.Fprintln(&text, "What the service used is not known:", r.Unread)
	}
	_, _ = fmt.Fprintf(&text, "\n%d people in %s. In %.1f s they received %d packets (%.0f a second), %.3f %% were lost; %.0f frames a second could be decrypted, %d in all could not.\n",
		r.Inside, roomCount(r.Rooms), r.Held, r.Media.Packets, r.Media.PacketsASecond, r.Media.Loss, r.Media.FramesASecond, r.Media.Undecryptable)
	if r.Interrupted {
		_, _ = fmt.Fprintln(&text, "interrupted: the meetings ended before their time")
	}
	for _, f := range r.Failures {
		_, _ = fmt.Fprintln(&text, "failed:", f)
	}
	for _, e := range r.Exceeded {
		_, _ = fmt.Fprintln(&text, "over the limit:", e)
	}
	for _, u := range r.Unjudged {
		_, _ = fmt.Fprintln(&text, "not compared with its limit:", u)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return nil
}

func roomCount(count int) string {
	if count == 1 {
		return "1 room"
	}
	return fmt.Sprintf("%d rooms", count)
}
