package rest

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// mediaEvents is the media type of a stream of server-sent events.
const mediaEvents = "text/event-stream"

// The names under which documents have their kinds of credentials.
const (
	bearerScheme  = "bearer"
	sessionScheme = "session" // of a signed-in person
)

// Payload is a request that the service sends: a webhook of the OpenAPI
// document.
type Payload struct {
	Name        string // the type of the event, such as room.created
	Description string
	Tag         string
	Data        any // a struct, or a pointer to one: the type of data
}

// AddPayload adds a payload to the group's document.
func AddPayload(g *Group, p Payload) {
	data := schema.Of(reflect.TypeOf(p.Data))
	g.payloads = append(g.payloads, schema.Webhook{Name: p.Name, Description: p.Description, Tag: p.Tag, Data: data})
}

// AddEvent adds an event to the description of the group's stream. data is a
// value of the type that it carries; a pointer stands for data that may be
// null.
func AddEvent(g *Group, name, description string, data any) {
	t := reflect.TypeOf(data)
	g.events = append(g.events, schema.Event{Name: name, Description: description, Data: schema.Of(t), Null: t.Kind() == reflect.Pointer})
}

// describe makes the group's OpenAPI document.
func (g *Group) describe() ([]byte, error) {
	version := g.edge.config.Version
	if version == "" {
		version = "0"
	}
	doc := schema.Document{
		Title: g.title, Description: g.description, Version: version,
		Server:   g.edge.config.PublicURL + g.prefix,
		Webhooks: g.payloads,
		Refusal:  schema.Of(reflect.TypeFor[api.ErrorResponse]()),
		Headers:  g.headers(), Parameters: g.parameters(), Schemes: g.schemes(),
	}
	for _, op := range g.ops {
		if !op.hidden {
			doc.Operations = append(doc.Operations, op.describe(doc.Refusal))
		}
	}
	raw, err := doc.JSON()
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", g.prefix, err)
	}
	return raw, nil
}

// headers are those that the answers of several operations have.
func (g *Group) headers() []schema.Header {
	text := func(name, description, example string) schema.Header {
		return schema.Header{Name: name, Type: "string", Description: description, Example: example}
	}
	return []schema.Header{
		text("Request-Id", "The id of this request; also in the body of errors.", "req_k3v9x7q2m1a8b4c6d0e5f2g7h9"),
		text("RateLimit-Policy", "The limits this request counts for: q requests in w seconds.", `"requests";q=100;w=5`),
		text("RateLimit", "What is left of each limit: r requests, and t seconds until there is more.", `"requests";r=99;t=5`),
		{Name: "Retry-After", Type: "integer", Description: "Seconds to wait before another try."},
		text("Location", "Path of the new object.", g.prefix+"/rooms/0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"),
		text("WWW-Authenticate", "The scheme of credentials.", "Bearer"),
		text("Idempotency-Replayed", "true when this is the stored answer of an earlier request with the same Idempotency-Key.", "true"),
	}
}

// The names of the shared parameters in the document.
const (
	keyParameter     = "IdempotencyKey"
	sessionParameter = "Session"
)

// parameters are the headers that several operations take.
func (g *Group) parameters() []schema.Parameter {
	var out []schema.Parameter
	if !g.tickets {
		out = append(out, schema.Parameter{
			Key: keyParameter, Name: idempotencyHeader, MaxLength: longestKey,
			Description: "A value of your own, new for each new request. A request repeated with the same value gets the first answer again.",
		})
	}
	if s := g.sessions; s != nil {
		out = append(out, schema.Parameter{Key: sessionParameter, Name: s.Header, Description: s.HeaderDoc})
	}
	return out
}

// schemes are the kinds of credentials that the group takes.
func (g *Group) schemes() []schema.Scheme {
	scheme := schema.Scheme{Name: g.schemeName(), Cookie: g.cookie}
	switch {
	case g.cookie != "":
		scheme.Description = "The session of a person who signed in."
	case g.tickets:
		scheme.Description = "The ticket of a person's seat."
	default:
		scheme.Format = "svc_live_..."
		scheme.Description = "An API key. Operations name the scope a key needs in x-required-scope."
	}
	out := []schema.Scheme{scheme}
	if s := g.sessions; s != nil {
		out = append(out, schema.Scheme{
			Name: sessionScheme, Cookie: s.Cookie,
			Description: "The session of a member who signed in, for pages of this service. It carries the scopes of the member's role.",
		})
	}
	return out
}

func (g *Group) schemeName() string {
	if g.cookie != "" {
		return sessionScheme
	}
	return bearerScheme
}

func (o *operation) describe(refusal *schema.Schema) schema.Operation {
	out := schema.Operation{
		ID: o.ID, Method: o.Method, Path: o.Path, Tag: o.Tag, Summary: o.Summary, Description: o.Description,
		Security: o.security(), Names: o.names, Input: o.in,
		Responses: append(o.responses(), o.refusals(refusal)...),
	}
	if o.needsScope() {
		out.Scope = string(o.Scope)
	}
	if o.most > 0 {
		out.Upload = mediaBytes
	}
	if o.in != nil && o.group.edge.takesKeys(o) {
		out.Parameters = append(out.Parameters, keyParameter)
	}
	if o.in != nil && o.takesSessions() {
		out.Parameters = append(out.Parameters, sessionParameter)
	}
	return out
}

// needsScope says whether a key needs the operation's scope.
func (o *operation) needsScope() bool { return o.Scope != "" && !o.group.tickets && !o.Public }

// security lists the credentials of which one is enough.
func (o *operation) security() []schema.Security {
	var scopes []string
	if o.Scope != "" {
		scopes = []string{string(o.Scope)}
	}
	own := schema.Security{Scheme: o.group.schemeName()}
	if o.needsScope() {
		own.Scopes = scopes
	}
	out := []schema.Security{own}
	if o.Public {
		out = append([]schema.Security{{}}, out...)
	}
	if o.takesSessions() {
		out = append(out, schema.Security{Scheme: sessionScheme, Scopes: scopes})
	}
	return out
}

// responses lists what the operation answers when it succeeds.
func (o *operation) responses() []schema.Response {
	r := schema.Response{
		Status: o.Status, Description: http.StatusText(o.Status),
		Shared: []string{"Request-Id", "RateLimit-Policy", "RateLimit"},
		Media:  o.Produces, Body: o.out,
	}
	if o.out != nil {
		r.Media = mediaJSON
	}
	if o.located && o.Status == http.StatusCreated {
		r.Shared = append(r.Shared, "Location")
	}
	if o.group.edge.takesKeys(o) {
		r.Shared = append(r.Shared, "Idempotency-Replayed")
	}
	if o.Status/100 == 3 {
		r.Headers = []schema.Header{{Name: "Location", Type: "string", Description: "Where the browser goes next."}}
	}
	if r.Media == mediaEvents {
		r.Events = o.group.events
	}
	if !o.file {
		return []schema.Response{r}
	}
	part := r
	part.Status = http.StatusPartialContent
	return []schema.Response{r, part, {Status: http.StatusNotModified, Description: "The content has the ETag that If-None-Match names."}}
}

// refusals groups an operation's error codes by status.
func (o *operation) refusals(body *schema.Schema) []schema.Response {
	byStatus := map[int][]CodeDoc{}
	codes := o.codes()
	for _, doc := range Codes() {
		if slices.Contains(codes, doc.Code) {
			byStatus[doc.Status] = append(byStatus[doc.Status], doc)
		}
	}
	var out []schema.Response
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		r := schema.Response{Status: status, Shared: []string{"Request-Id"}, Media: mediaJSON, Body: body}
		var lines []string
		for _, doc := range byStatus[status] {
			lines = append(lines, "`"+doc.Code+"`: "+doc.When)
			r.Codes = append(r.Codes, doc.Code)
		}
		r.Description = strings.Join(lines, "\n\n")
		switch status {
		case http.StatusUnauthorized:
			r.Shared = append(r.Shared, "WWW-Authenticate")
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			r.Shared = append(r.Shared, "Retry-After")
		}
		out = append(out, r)
	}
	return out
}
