package probe

// leastShare is how many connections of tests one network may always have while there
// is room: a page tries five ways (TokenLife).
const leastShare = 5

// slots count the connections of tests that a node has let in.
type slots struct {
	all int
	of  map[string]int // by network; people who count for no network are only in all
}

// full says whether no more connections are let in from anywhere.
func (s *slots) full() bool { return s.all >= MostAtOnce }

// share is how many connections one network may have: three fifths of what the others
// leave free. So thirty pupils behind one address can test at once, which is as many tests
// as one address may begin in a minute. It takes four networks to use up a node.
func (s *slots) share(network string) int {
	free := MostAtOnce - (s.all - s.of[network])
	return max(free*3/5, leastShare)
}

// used says whether a network has its share. network is "" where limits are off.
func (s *slots) used(network string) bool { return network != "" && s.of[network] >= s.share(network) }

// take counts a connection.
func (s *slots) take(network string) {
	s.all++
	if network == "" {
		return
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.of[network]++
}

// free stops counting a connection.
func (s *slots) free(network string) {
	s.all--
	if network == "" {
		return
	}
	if s.of[network]--; s.of[network] == 0 {
		delete(s.of, network)
	}
}
