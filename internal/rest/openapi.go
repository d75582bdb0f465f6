package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/conclave-rooms/conclave/api"
)

// describe makes the group's OpenAPI 3.1 document from its operations.
func (g *Group) describe() ([]byte, error) {
	c := &components{names: map[component]string{}, schemas: map[string]object{}}
	if _, err := c.name(compileType(reflect.TypeFor[api.ErrorResponse]()), answers); err != nil {
		return nil, err
	}
	paths, err := g.paths(c)
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", g.prefix, err)
	}
	version := g.edge.config.Version
	if version == "" {
		version = "0"
	}
	doc := object{
		{"openapi", "3.1.0"},
		{"info", object{{"title", g.title}}.withText("description", g.description).with("version", version)},
		{"servers", []any{object{{"url", g.edge.config.PublicURL + g.prefix}}}},
		{"tags", g.tags()},
		{"paths", paths},
	}
	webhooks, err := g.webhooks(c)
	if err != nil {
		return nil, fmt.Errorf("describe the webhooks of %s: %w", g.prefix, err)
	}
	if len(webhooks) > 0 {
		doc = doc.with("webhooks", webhooks)
	}
	doc = doc.with("components", g.components(c))
	raw, err := encode(doc)
	if err != nil {
		return nil, err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the document: %w", err)
	}
	return pretty.Bytes(), nil
}

// schemeName is the name of the group's credentials in the document.
func (g *Group) schemeName() string {
	if g.cookie != "" {
		return sessionScheme
	}
	return "bearer"
}

// sessionScheme is the name of a signed-in person's session in documents.
const sessionScheme = "session"

func (g *Group) tags() []object {
	tags := []object{}
	seen := map[string]bool{}
	for _, op := range g.ops {
		if op.Tag != "" && !seen[op.Tag] {
			seen[op.Tag] = true
			tags = append(tags, object{{"name", op.Tag}})
		}
	}
	return tags
}

func (g *Group) components(c *components) object {
	var schemas object
	for _, name := range slices.Sorted(maps.Keys(c.schemas)) {
		schemas = schemas.with(name, c.schemas[name])
	}
	text := func(description, example string) object {
		return object{{"description", description}, {"schema", object{{"type", "string"}, {"examples", []string{example}}}}}
	}
	headers := object{
		{"Request-Id", text("The id of this request; also in the body of errors.", "req_k3v9x7q2m1a8b4c6d0e5f2g7h9")},
		{"RateLimit-Policy", text("The limits this request counts for: q requests in w seconds.", `"requests";q=100;w=5`)},
		{"RateLimit", text("What is left of each limit: r requests, and t seconds until there is more.", `"requests";r=99;t=5`)},
		{"Retry-After", object{{"description", "Seconds to wait before another try."}, {"schema", object{{"type", "integer"}}}}},
		{"Location", text("Path of the new object.", g.prefix+"/rooms/0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11")},
		{"WWW-Authenticate", text("The scheme of credentials.", "Bearer")},
		{"Idempotency-Replayed", text("true when this is the stored answer of an earlier request with the same Idempotency-Key.", "true")},
	}
	scheme := object{{"type", "http"}, {"scheme", "bearer"}}
	parameters := object{}
	switch {
	case g.cookie != "":
		scheme = object{{"type", "apiKey"}, {"in", "cookie"}, {"name", g.cookie}, {"description", "The session of a person who signed in."}}
	case g.tickets:
		scheme = scheme.with("description", "The ticket of a person's seat.")
	default:
		scheme = scheme.with("bearerFormat", "svc_live_...").
			with("description", "An API key. Operations name the scope a key needs in x-required-scope.")
		parameters = object{{"IdempotencyKey", object{
			{"name", idempotencyHeader},
			{"in", "header"},
			{"description", "A value of your own, new for each new request. A request repeated with the same value gets the first answer again."},
			{"schema", object{{"type", "string"}, {"minLength", 1}, {"maxLength", longestKey}}},
		}}}
	}
	schemes := object{{g.schemeName(), scheme}}
	if s := g.sessions; s != nil {
		schemes = schemes.with(sessionScheme, object{
			{"type", "apiKey"},
			{"in", "cookie"},
			{"name", s.Cookie},
			{"description", "The session of a member who signed in, for pages of this service. It carries the scopes of the member's role."},
		})
		parameters = parameters.with("Session", object{
			{"name", s.Header},
			{"in", "header"},
			{"description", s.HeaderDoc},
			{"schema", object{{"type", "string"}}},
		})
	}
	return object{
		{"schemas", schemas},
		{"parameters", parameters},
		{"headers", headers},
		{"securitySchemes", schemes},
	}
}

// paths lists the operations by path, in the order of registration.
func (g *Group) paths(c *components) (object, error) {
	var order []string
	items := map[string]object{}
	for _, op := range g.ops {
		if op.hidden {
			continue
		}
		if _, ok := items[op.Path]; !ok {
			order = append(order, op.Path)
		}
		described, err := op.describe(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.ID, err)
		}
		items[op.Path] = items[op.Path].with(strings.ToLower(op.Method), described)
	}
	paths := object{}
	for _, path := range order {
		paths = paths.with(path, items[path])
	}
	return paths, nil
}

func (o *operation) describe(c *components) (object, error) {
	out := object{{"operationId", o.ID}}
	if o.Tag != "" {
		out = out.with("tags", []string{o.Tag})
	}
	out = out.withText("summary", o.Summary).withText("description", o.Description)
	security := []any{object{{o.group.schemeName(), []string{}}}}
	switch {
	case o.Public:
		security = append([]any{object{}}, security...)
	case o.Scope != "" && !o.group.tickets:
		security = []any{object{{"bearer", []string{string(o.Scope)}}}}
		out = out.with("x-required-scope", o.Scope)
	}
	if o.takesSessions() {
		scopes := []string{}
		if o.Scope != "" {
			scopes = append(scopes, string(o.Scope))
		}
		security = append(security, object{{sessionScheme, scopes}})
	}
	out = out.with("security", security)
	parameters, err := o.parameters(c)
	if err != nil {
		return nil, err
	}
	if len(parameters) > 0 {
		out = out.with("parameters", parameters)
	}
	if o.in != nil && (o.in.at != nil || o.most > 0) {
		body, err := o.requestBody(c)
		if err != nil {
			return nil, err
		}
		out = out.with("requestBody", body)
	}
	responses, err := o.responses(c)
	return out.with("responses", responses), err
}

func (o *operation) parameters(c *components) ([]any, error) {
	var out []any
	if o.in == nil {
		for _, name := range o.names {
			out = append(out, object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", object{{"type", "string"}}}})
		}
		return out, nil
	}
	for _, group := range []struct {
		in     string
		fields []*field
	}{{"path", o.in.path}, {"query", o.in.query}} {
		for _, f := range group.fields {
			described, err := c.field(&field{schema: f.schema, def: f.def, example: f.example}, requests)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			out = append(out, object{{"name", f.name}, {"in", group.in}}.withText("description", f.doc).
				with("required", f.required).with("schema", described))
		}
	}
	if o.group.edge.takesKeys(o) {
		out = append(out, ref("parameters", "IdempotencyKey"))
	}
	if o.takesSessions() {
		out = append(out, ref("parameters", "Session"))
	}
	return out, nil
}

func (o *operation) requestBody(c *components) (object, error) {
	if o.most > 0 {
		// JSON Schema cannot limit bytes, so the description does.
		return object{{"required", true}, {"content", object{{mediaBytes, object{}}}}}, nil
	}
	d := requests
	if o.in.merge {
		d = patches
	}
	body, err := c.schema(o.in.body, d)
	return object{
		{"required", o.in.body.needsBody()},
		{"content", object{{mediaJSON, object{{"schema", body}}}}},
	}, err
}

// responses lists the answer and every refusal of the operation.
func (o *operation) responses(c *components) (object, error) {
	headers := object{}
	add := func(names ...string) {
		for _, name := range names {
			headers = headers.with(name, ref("headers", name))
		}
	}
	add("Request-Id", "RateLimit-Policy", "RateLimit")
	media, content := o.Produces, object{{"type", "string"}}
	if o.out != nil {
		described, err := c.schema(o.out, answers)
		if err != nil {
			return nil, err
		}
		media, content = mediaJSON, described
		if _, ok := reflect.Zero(o.out.goType).Interface().(interface{ Location() string }); ok && o.Status == http.StatusCreated {
			add("Location")
		}
	}
	if o.group.edge.takesKeys(o) {
		add("Idempotency-Replayed")
	}
	if o.Status/100 == 3 {
		headers = headers.with("Location", object{{"description", "Where the browser goes next."}, {"schema", object{{"type", "string"}}}})
	}
	body := object{{"schema", content}}
	if media == mediaEvents {
		events, err := o.group.describeEvents(c)
		if err != nil {
			return nil, err
		}
		body = body.with("x-events", events)
	}
	out := object{{strconv.Itoa(o.Status), object{
		{"description", http.StatusText(o.Status)},
		{"headers", headers},
		{"content", object{{media, body}}},
	}}}
	if o.file {
		whole := out[0].value
		out = out.with(strconv.Itoa(http.StatusPartialContent), whole).
			with(strconv.Itoa(http.StatusNotModified), object{{"description", "The content has the ETag that If-None-Match names."}})
	}
	return append(out, o.refusals()...), nil
}

// refusals groups an operation's error codes by status.
func (o *operation) refusals() object {
	byStatus := map[int][]CodeDoc{}
	codes := o.codes()
	for _, doc := range Codes() {
		if slices.Contains(codes, doc.Code) {
			byStatus[doc.Status] = append(byStatus[doc.Status], doc)
		}
	}
	var out object
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		var lines, names []string
		for _, doc := range byStatus[status] {
			lines = append(lines, "`"+doc.Code+"`: "+doc.When)
			names = append(names, doc.Code)
		}
		headers := object{{"Request-Id", ref("headers", "Request-Id")}}
		switch status {
		case http.StatusUnauthorized:
			headers = headers.with("WWW-Authenticate", ref("headers", "WWW-Authenticate"))
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			headers = headers.with("Retry-After", ref("headers", "Retry-After"))
		}
		out = out.with(strconv.Itoa(status), object{
			{"description", strings.Join(lines, "\n\n")},
			{"headers", headers},
			{"content", object{{mediaJSON, object{{"schema", ref("schemas", "ErrorResponse")}}}}},
			{"x-error-codes", names},
		})
	}
	return out
}

// codes are the codes of the edge's own checks and those that the operation
// names.
func (o *operation) codes() []string {
	codes := append([]string{api.CodeRateLimited, api.CodeInternalError, api.CodeServiceUnavailable}, o.Errors...)
	if !o.Public {
		codes = append(codes, o.group.missing.Code)
		if !o.group.tickets {
			codes = append(codes, api.CodeAPIKeyInvalid, api.CodeAPIKeyExpired, api.CodeAPIKeyRevoked, api.CodeAPIKeyInactive)
		}
	}
	if o.Scope != "" && !o.group.tickets && !o.Public {
		codes = append(codes, api.CodeInsufficientScope)
	}
	if o.group.cookie != "" && o.writes() {
		codes = append(codes, api.CodeCrossOrigin)
	}
	if o.takesSessions() {
		codes = append(append(codes, o.group.sessions.Missing.Code, api.CodeCrossOrigin), o.group.sessions.Errors...)
	}
	if len(o.names) > 0 {
		codes = append(codes, api.CodeNotFound)
	}
	if o.group.edge.takesKeys(o) {
		codes = append(codes, api.CodeIdempotencyKeyInUse, api.CodeIdempotencyKeyReused)
	}
	if o.in == nil {
		return codes
	}
	codes = append(codes, api.CodeParameterUnknown)
	if o.file {
		codes = append(codes, api.CodeRangeNotSatisfiable)
	}
	if o.most > 0 {
		return append(codes, api.CodePayloadTooLarge, api.CodeUnsupportedMediaType, api.CodeParameterInvalid, api.CodeParameterMissing)
	}
	if o.writes() {
		codes = append(codes, api.CodeInvalidJSON, api.CodePayloadTooLarge, api.CodeUnsupportedMediaType, api.CodeParameterInvalid)
	}
	if len(o.in.query) > 0 {
		codes = append(codes, api.CodeParameterInvalid)
	}
	if o.in.body.needsBody() || slices.ContainsFunc(o.in.query, func(f *field) bool { return f.required }) {
		codes = append(codes, api.CodeParameterMissing)
	}
	if o.object != nil {
		codes = append(codes, api.CodeParameterReadOnly)
	}
	return codes
}
