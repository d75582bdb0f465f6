package db

import "testing"

// PostgreSQL's report is understood in all its languages; a report that is not
// understood counts as a failure.
func TestReportsOfARewrittenTable(t *testing.T) {
	t.Parallel()
	for report, done := range map[string]bool{
		"0 dead row versions cannot be removed yet.\nCPU: user: 0.00 s, system: 0.01 s, elapsed: 0.20 s.":                true,
		"0 tote Zeilenversionen können noch nicht entfernt werden.\nCPU: user: 0.00 s":                                   true,
		"2 dead row versions cannot be removed yet.\nCPU: user: 0.00 s, system: 0.00 s, elapsed: 0.00 s.":                false,
		"10 versions de lignes mortes ne peuvent pas encore être supprimées.\nCPU: utilisateur: 0.00 s, système: 0.00 s": false,
		"nothing of the kind": false,
		"":                    false,
	} {
		if err := checkRewritten("poll_ballots", report); (err == nil) != done {
			t.Errorf("%q: %v", report, err)
		}
	}
}
