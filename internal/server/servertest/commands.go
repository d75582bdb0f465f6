package servertest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// commands are the words of stories.
func commands() map[string]func(s *story, line string) {
	return map[string]func(s *story, line string){
		// People and keys.
		"workspace": (*story).workspace, // NAME owner=EMAIL | NAME id=ID of one that exists, such as somebody's personal workspace
		"member":    (*story).member,    // EMAIL ROLE [workspace=NAME]
		"unmember":  (*story).unmember,  // EMAIL [workspace=NAME]
		"webinar":   (*story).webinar,   // NAME VAR: a webinar of the first workspace, as the command line makes it
		"role":      (*story).role,      // NAME RIGHT,RIGHT [workspace=NAME]
		"key":       (*story).key,       // NAME scopes=a,b|all [workspace=NAME] [by=EMAIL] [environment=test] [expires=30d]; used from here on
		"revoke":    (*story).revoke,    // NAME of a key
		"use":       (*story).use,       // NAME of a key, or nothing for none

		// Requests, and checks of their answers.
		"header":   (*story).header,        // NAME VALUE, of the next request
		"api":      (*story).api,           // METHOD PATH [session=COOKIE] [workspace=ID] [BODY]; a session goes without the key
		"meet":     (*story).meet,          // METHOD PATH [ticket=TICKET] [session=COOKIE] [BODY]
		"account":  (*story).account,       // METHOD PATH [session=COOKIE] [BODY]
		"bytes":    (*story).putBytes,      // PATH bearer=SECRET N TEXT: PUT to the meeting protocol, N times the text, with its digest; header NAME none leaves one out
		"session":  (*story).keepSession,   // NAME: saves the session's cookie from the last answer
		"invite":   (*story).invite,        // EMAIL NAME: saves the secret of a new invitation
		"sign-in":  (*story).signIn,        // EMAIL SESSION NAME: accepts a new invitation under a name, and saves the session
		"refused":  (*story).expectRefused, // STATUS CODE [PARAM]
		"status":   (*story).expectStatus,  // STATUS
		"is-bytes": (*story).expectBytes,   // N TEXT: the answer is N times the text
		"want":     (*story).want,          // PATH VALUE | PATH absent | PATH matches REGEXP | header:NAME VALUE
		"save":     (*story).save,          // NAME PATH

		"join-secret": (*story).joinSecret, // NAME PATH: the secret in the fragment of a join link

		// The event log.
		"events": (*story).events,    // TYPE[=PERSON][:REASON] ...: exactly these since the last such line
		"event":  (*story).wantEvent, // TYPE PATH VALUE: in the data of the last of these events with this type

		// Webhooks. Only a story that begins with allow-private can send them
		// to receivers.
		"receiver": (*story).receiver,  // NAME: starts one at $NAME_URL
		"answers":  (*story).answers,   // NAME STATUS [HEADER VALUE]: from now on
		"trusts":   (*story).trusts,    // NAME SECRET ...: each request must be signed with all of them
		"receives": (*story).receives,  // NAME TYPE ...: exactly these since the last such line; $RECEIVED is the last body, $RECEIVED_ID its event
		"forget":   (*story).forgetOld, // deletes what is too old, as the service does every hour

		// People at the media server.
		"through":     (*story).letThrough,        // NAME TOKEN: the gate lets them through
		"ask":         (*story).ask,               // TOKEN: whether the gate would let them through
		"arrive":      (*story).arrive,            // NAME: connects to the media server
		"half":        (*story).half,              // NAME: connects only the publishing half
		"connect":     (*story).connect,           // NAME TOKEN: through and arrive
		"move":        (*story).move,              // NAME ticket=TICKET: connects to the media room where they belong now, like our client
		"where":       (*story).expectWhere,       // NAME ROOM|ROOM_BREAKOUT|nowhere: the media rooms that they are in
		"turned-away": (*story).expectTurnedAway,  // CODE [PARAM]
		"leave":       (*story).leave,             // NAME: says goodbye to the media server
		"goodbye":     (*story).goodbye,           // NAME: says goodbye, which the gate hears; what the media server does about it follows
		"vanish":      (*story).vanish,            // NAME: disappears without a goodbye
		"gone":        (*story).gone,              // NAME: is no longer at the media server
		"publish":     (*story).publish,           // NAME SOURCE [muted]
		"refuses":     (*story).refusesToPublish,  // NAME SOURCE: the media server does not let them
		"may":         (*story).expectGrant,       // NAME RIGHT ...: at the media server; sources, data, attributes
		"unpublish":   (*story).unpublish,         // NAME SOURCE
		"mute":        (*story).mute,              // NAME SOURCE, by themselves
		"unmute":      (*story).unmute,            // NAME SOURCE, by themselves
		"track":       (*story).expectTrack,       // NAME SOURCE on|muted|none
		"attribute":   (*story).attribute,         // NAME KEY=VALUE, by themselves
		"shows":       (*story).expectAttribute,   // NAME KEY=VALUE at the media server
		"named":       (*story).expectName,        // NAME DISPLAY NAME at the media server
		"stream":      (*story).stream,            // NAME ticket=TICKET [last=LAST_EVENT_ID] [changes=PART]
		"told":        (*story).expectTold,        // NAME EVENT [PATH VALUE]: the next event with this name, perhaps after others
		"tells":       (*story).expectTells,       // NAME EVENT ...: the next events of a stream, exactly these
		"hang-up":     (*story).hangUp,            // NAME: closes the page, and the service has noticed
		"closed":      (*story).expectStreamEnded, // NAME

		// Time and failures.
		"clock":   (*story).clock,       // +10s
		"restart": (*story).restart,     // media | service
		"stop":    (*story).stopService, // the service, until start
		"start":   (*story).startService,
		"media":   (*story).media, // down | up | quiet | loud: quiet loses every hint
	}
}

func (s *story) workspace(line string) {
	w := words(line, 2)
	o, _ := options(w[1], "owner", "id")
	if s.works[w[0]] = o["id"]; o["id"] == "" {
		s.works[w[0]] = s.Workspace(w[0], o["owner"])
	}
	s.vars["WORKSPACE_"+strings.ToUpper(w[0])] = s.works[w[0]]
}

// workspaceID finds a workspace by name, or the first one without a name.
func (s *story) workspaceID(name string) string {
	if name == "" {
		name = "acme"
	}
	if s.works[name] == "" {
		s.workspace(name + " owner=owner@" + name + ".example")
	}
	return s.works[name]
}

func (s *story) webinar(line string) {
	w := words(line, 2)
	members, err := s.Identity.Members(s.t.Context(), s.workspaceID(""))
	if err != nil {
		s.fatal("%v", err)
	}
	p := auth.Principal{WorkspaceID: s.workspaceID(""), AccountID: members[0].AccountID, ManagesAll: true}
	r, err := s.Rooms.Create(s.t.Context(), p, schema.Filled(api.RoomCreate{Name: w[0]}), "webinar")
	if err != nil {
		s.fatal("%v", err)
	}
	s.vars[w[1]] = r.ID
}

func (s *story) member(line string) {
	w := words(line, 3)
	o, _ := options(w[2], "workspace")
	_, err := s.Identity.AddMember(s.t.Context(), s.workspaceID(o["workspace"]), w[0], w[1])
	s.turnedAway(err)
}

func (s *story) unmember(line string) {
	w := words(line, 2)
	o, _ := options(w[1], "workspace")
	s.turnedAway(s.Identity.RemoveMember(s.t.Context(), s.workspaceID(o["workspace"]), w[0]))
}

func (s *story) role(line string) {
	w := words(line, 3)
	o, _ := options(w[2], "workspace")
	_, err := s.Identity.CreateRole(s.t.Context(), s.workspaceID(o["workspace"]), w[0], strings.Split(w[1], ","))
	s.turnedAway(err)
}

func (s *story) key(line string) {
	w := words(line, 2)
	o, left := options(w[1], "scopes", "workspace", "by", "environment", "expires")
	if left != "" {
		s.fatal("%q is not an option of a key", left)
	}
	r := identity.KeyRequest{
		WorkspaceID: s.workspaceID(o["workspace"]), Name: w[0], Scopes: scopes(o["scopes"]), Environment: o["environment"], CreatedBy: o["by"],
	}
	if o["expires"] != "" {
		at := s.Now().Add(s.duration(o["expires"]))
		r.ExpiresAt = &at
	}
	key, k, err := s.Identity.CreateKey(s.t.Context(), r)
	s.turnedAway(err)
	if err != nil {
		return
	}
	s.keys[w[0]], s.bear = k.ID, key
	s.vars["KEY_"+strings.ToUpper(w[0])], s.vars["KEY_"+strings.ToUpper(w[0])+"_ID"] = key, k.ID
}

func (s *story) revoke(line string) {
	s.turnedAway(s.Identity.RevokeKey(s.t.Context(), s.keys[line]))
}

func (s *story) use(line string) {
	s.bear = ""
	if line == "" {
		return
	}
	if s.bear = s.vars["KEY_"+strings.ToUpper(line)]; s.bear == "" {
		s.bear = line // the key itself
	}
}

func (s *story) header(line string) {
	w := words(line, 2)
	if s.more == nil {
		s.more = http.Header{}
	}
	s.more.Set(w[0], w[1])
}

func (s *story) api(line string) {
	w := words(line, 3)
	o, body := options(w[2], "session", "workspace")
	r := Request{Method: w[0], Path: "/api/v1" + w[1], Bearer: s.bear, Body: body}
	if o["session"] != "" {
		r.Bearer = ""
		s.withSession(o["session"])
	}
	if o["workspace"] != "" {
		s.header(identity.WorkspaceHeader + " " + o["workspace"])
	}
	s.send(r)
}

func (s *story) meet(line string) {
	w := words(line, 3)
	o, body := options(w[2], "ticket", "session")
	s.withSession(o["session"])
	s.send(Request{Method: w[0], Path: "/meet/v1" + w[1], Bearer: o["ticket"], Body: body})
}

func (s *story) account(line string) {
	w := words(line, 3)
	o, body := options(w[2], "session")
	r := Request{Method: w[0], Path: "/account/v1" + w[1], Body: body}
	if w[0] != http.MethodGet && body == "" {
		r.Body = "{}"
	}
	s.withSession(o["session"])
	s.send(r)
}

// withSession adds the cookie of a session to the next request.
func (s *story) withSession(session string) {
	if session != "" {
		s.header("Cookie " + identity.SessionCookie(PublicURL) + "=" + session)
	}
}

func (s *story) signIn(line string) {
	w := words(line, 3)
	s.vars[w[1]] = s.SignIn(w[0], w[2])
}

// keepSession saves the value of the cookie in the last answer, and checks the
// cookie's attributes.
func (s *story) keepSession(name string) {
	set, err := http.ParseSetCookie(s.last.Header.Get("Set-Cookie"))
	if err != nil {
		s.fatal("the answer sets no cookie: %v", err)
	}
	if set.Name != "__Host-conclave_session" || !set.HttpOnly || !set.Secure || set.SameSite != http.SameSiteLaxMode || set.Path != "/" || set.Domain != "" {
		s.fatal("the cookie is %v", set)
	}
	s.vars[name] = set.Value
}

func (s *story) invite(line string) {
	w := words(line, 2)
	inv, err := s.Identity.Invite(s.t.Context(), w[0])
	s.turnedAway(err)
	if err != nil {
		return
	}
	secret, found := strings.CutPrefix(inv.URL, PublicURL+"/invitation#")
	if !found {
		s.fatal("the invitation is %s", inv.URL)
	}
	s.vars[w[1]] = secret
}

// send sends a request. It fails the story unless the request succeeds or the
// next line expects a refusal.
func (s *story) send(r Request) {
	s.t.Helper()
	r.Header, s.more = s.more, nil
	s.last = s.Send(r)
	if s.last.Status/100 != 2 && !slices.Contains([]string{"refused", "status"}, s.next) {
		s.fatal("it was refused")
	}
}

func (s *story) expectRefused(line string) {
	w := words(line, 3)
	e := s.last.Refusal()
	if strconv.Itoa(s.last.Status) != w[0] || e.Code != w[1] || e.Param != w[2] {
		s.fatal("got %d %s %s", s.last.Status, e.Code, e.Param)
	}
	if e.Param != "" && e.Type == "invalid_request_error" && (len(e.Errors) == 0 || e.Errors[0].Param != e.Param) {
		s.fatal("errors does not begin with %s", e.Param)
	}
}

func (s *story) expectStatus(line string) {
	if strconv.Itoa(s.last.Status) != line {
		s.fatal("got %d", s.last.Status)
	}
}

func (s *story) want(line string) {
	w := words(line, 2)
	if name, ok := strings.CutPrefix(w[0], "header:"); ok {
		s.compare(s.last.Header.Get(name), s.last.Header.Get(name) != "", w[1])
		return
	}
	got, there := s.lookUp(w[0])
	s.compare(got, there, w[1])
}

// lookUp finds a value in the last answer.
func (s *story) lookUp(path string) (any, bool) {
	var body any
	if err := json.Unmarshal(s.last.Body, &body); err != nil {
		s.fatal("the answer is not JSON: %v", err)
	}
	return find(body, path)
}

func (s *story) save(line string) {
	w := words(line, 2)
	got, there := s.lookUp(w[1])
	if !there {
		s.fatal("the answer has no %s", w[1])
	}
	s.vars[w[0]] = text(got)
}

func (s *story) joinSecret(line string) {
	s.save(line)
	name := words(line, 2)[0]
	_, secret, found := strings.Cut(s.vars[name], "#join=")
	if !found {
		s.fatal("%s is not a join link", s.vars[name])
	}
	s.vars[name] = secret
}

func (s *story) forgetOld(string) {
	s.Forget()
}

func (s *story) clock(line string) { s.Advance(s.duration(line)) }

func (s *story) stopService(string)  { s.Stop() }
func (s *story) startService(string) { s.Reopen() }

func (s *story) restart(what string) {
	switch what {
	case "media":
		s.Media.Restart()
		s.Tick()
	case "service":
		s.Stop()
		s.Reopen()
	default:
		s.fatal("restart media, or restart service")
	}
}
