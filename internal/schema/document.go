package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const mediaJSON = "application/json"

// Document is an OpenAPI 3.1 document: a group of operations, and the requests
// that the service sends.
type Document struct {
	Title, Description, Version string

	Server     string      // the address that the paths continue
	Operations []Operation // in their order
	Webhooks   []Webhook   // in their order
	Refusal    *Schema     // what every refusal holds

	// What several operations share. They refer to it by name.
	Headers    []Header
	Parameters []Parameter
	Schemes    []Scheme
}

// Operation is an operation of a document.
type Operation struct {
	ID, Method, Path, Tag, Summary, Description string

	Scope      string     // that a key needs; "": none
	Security   []Security // any of them is enough
	Names      []string   // of the path values, where Input is nil
	Input      *Input     // nil: it reads its request itself
	Upload     string     // the media type of a body of bytes; "": the body is JSON
	Parameters []string   // the names of shared parameters
	Responses  []Response // in their order
}

// Security is a scheme of credentials with the scopes that they need. The zero
// value stands for no credentials.
type Security struct {
	Scheme string
	Scopes []string
}

// Response is what an operation may answer.
type Response struct {
	Status      int
	Description string
	Shared      []string // the names of shared headers
	Headers     []Header // of this response alone
	Media       string   // the media type of its content; "": it has none
	Body        *Schema  // of the content; nil: text or bytes
	Events      []Event  // of a stream
	Codes       []string // of refusals
}

// Header is a header of responses.
type Header struct {
	Name, Description string
	Type              string // "string" or "integer"
	Example           string
}

// Parameter is a header of requests.
type Parameter struct {
	Key       string // the name in the document
	Name      string
	MaxLength int // of a value that must not be empty; 0: anything goes

	Description string
}

// Scheme is a kind of credentials.
type Scheme struct {
	Name        string
	Cookie      string // that holds them; "": they are a bearer
	Format      string // what a bearer looks like
	Description string
}

// JSON writes the document.
func (d *Document) JSON() ([]byte, error) {
	c := &components{names: map[component]string{}, schemas: map[string]object{}}
	if _, err := c.name(d.Refusal, answers); err != nil {
		return nil, err
	}
	paths, err := d.paths(c)
	if err != nil {
		return nil, err
	}
	doc := object{
		{"openapi", "3.1.0"},
		{"info", object{{"title", d.Title}}.withText("description", d.Description).with("version", d.Version)},
		{"servers", []any{object{{"url", d.Server}}}},
		{"tags", d.tags()},
		{"paths", paths},
	}
	if len(d.Webhooks) > 0 {
		webhooks, err := d.webhooks(c)
		if err != nil {
			return nil, fmt.Errorf("describe the webhooks: %w", err)
		}
		doc = doc.with("webhooks", webhooks)
	}
	raw, err := Encode(doc.with("components", d.components(c)))
	if err != nil {
		return nil, err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the document: %w", err)
	}
	return pretty.Bytes(), nil
}

func (d *Document) tags() []object {
	tags := []object{}
	seen := map[string]bool{}
	for _, op := range d.Operations {
		if op.Tag != "" && !seen[op.Tag] {
			seen[op.Tag] = true
			tags = append(tags, object{{"name", op.Tag}})
		}
	}
	return tags
}

// components lists what the document refers to. The schemas in c are complete by
// now.
func (d *Document) components(c *components) object {
	var schemas object
	for _, name := range slices.Sorted(maps.Keys(c.schemas)) {
		schemas = schemas.with(name, c.schemas[name])
	}
	headers, parameters, schemes := object{}, object{}, object{}
	for _, p := range d.Parameters {
		parameters = parameters.with(p.Key, p.describe())
	}
	for _, h := range d.Headers {
		headers = headers.with(h.Name, h.describe())
	}
	for _, s := range d.Schemes {
		schemes = schemes.with(s.Name, s.describe())
	}
	return object{
		{"schemas", schemas},
		{"parameters", parameters},
		{"headers", headers},
		{"securitySchemes", schemes},
	}
}

func (h Header) describe() object {
	value := object{{"type", h.Type}}
	if h.Example != "" {
		value = value.with("examples", []string{h.Example})
	}
	return object{{"description", h.Description}, {"schema", value}}
}

func (p Parameter) describe() object {
	value := object{{"type", "string"}}
	if p.MaxLength > 0 {
		value = value.with("minLength", 1).with("maxLength", p.MaxLength)
	}
	return object{{"name", p.Name}, {"in", "header"}, {"description", p.Description}, {"schema", value}}
}

func (s Scheme) describe() object {
	o := object{{"type", "http"}, {"scheme", "bearer"}}
	if s.Cookie != "" {
		o = object{{"type", "apiKey"}, {"in", "cookie"}, {"name", s.Cookie}}
	}
	return o.withText("bearerFormat", s.Format).withText("description", s.Description)
}

// paths lists the operations by path; a path stands where its first operation
// does.
func (d *Document) paths(c *components) (object, error) {
	var order []string
	items := map[string]object{}
	for _, op := range d.Operations {
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

func (o *Operation) describe(c *components) (object, error) {
	out := object{{"operationId", o.ID}}
	if o.Tag != "" {
		out = out.with("tags", []string{o.Tag})
	}
	out = out.withText("summary", o.Summary).withText("description", o.Description).withText("x-required-scope", o.Scope)
	security := []object{}
	for _, s := range o.Security {
		one := object{}
		if s.Scheme != "" {
			one = one.with(s.Scheme, append([]string{}, s.Scopes...))
		}
		security = append(security, one)
	}
	out = out.with("security", security)
	parameters, err := o.parameters(c)
	if err != nil {
		return nil, err
	}
	if len(parameters) > 0 {
		out = out.with("parameters", parameters)
	}
	if o.Upload != "" || o.Input != nil && o.Input.at != nil {
		body, err := o.requestBody(c)
		if err != nil {
			return nil, err
		}
		out = out.with("requestBody", body)
	}
	responses := object{}
	for _, r := range o.Responses {
		described, err := r.describe(c)
		if err != nil {
			return nil, err
		}
		responses = responses.with(strconv.Itoa(r.Status), described)
	}
	return out.with("responses", responses), nil
}

func (o *Operation) parameters(c *components) ([]any, error) {
	var out []any
	if o.Input == nil {
		for _, name := range o.Names {
			out = append(out, object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", object{{"type", "string"}}}})
		}
	} else {
		for _, group := range []struct {
			in     string
			fields []*field
		}{{"path", o.Input.path}, {"query", o.Input.query}} {
			for _, f := range group.fields {
				described, err := c.field(&field{schema: f.schema, def: f.def, example: f.example}, requests)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", f.name, err)
				}
				out = append(out, object{{"name", f.name}, {"in", group.in}}.withText("description", f.doc).
					with("required", f.required).with("schema", described))
			}
		}
	}
	for _, key := range o.Parameters {
		out = append(out, ref("parameters", key))
	}
	return out, nil
}

func (o *Operation) requestBody(c *components) (object, error) {
	if o.Upload != "" {
		// JSON Schema cannot limit bytes, so the description does.
		return object{{"required", true}, {"content", object{{o.Upload, object{}}}}}, nil
	}
	d := requests
	if o.Input.merge {
		d = patches
	}
	body, err := c.schema(o.Input.body, d)
	return object{
		{"required", o.Input.body.needsBody()},
		{"content", object{{mediaJSON, object{{"schema", body}}}}},
	}, err
}

func (r Response) describe(c *components) (object, error) {
	out := object{{"description", r.Description}}
	headers := object{}
	for _, name := range r.Shared {
		headers = headers.with(name, ref("headers", name))
	}
	for _, h := range r.Headers {
		headers = headers.with(h.Name, h.describe())
	}
	if len(headers) > 0 {
		out = out.with("headers", headers)
	}
	if r.Media != "" {
		content, err := r.content(c)
		if err != nil {
			return nil, err
		}
		out = out.with("content", object{{r.Media, content}})
	}
	if len(r.Codes) > 0 {
		out = out.with("x-error-codes", r.Codes)
	}
	return out, nil
}

func (r Response) content(c *components) (object, error) {
	body := object{{"type", "string"}}
	if r.Body != nil {
		var err error
		if body, err = c.schema(r.Body, answers); err != nil {
			return nil, err
		}
	}
	content := object{{"schema", body}}
	if r.Media != mediaEvents {
		return content, nil
	}
	events, err := describeEvents(c, r.Events)
	return content.with("x-events", events), err
}
