package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/client"
)

// The library for customers' servers has a method for every operation of the API, named
// like it, which sends what the document describes. It has no other methods.
func TestTheClientHasEveryOperation(t *testing.T) {
	t.Parallel()
	document, operations := contract(t)
	left := map[string]bool{}
	for method := range reflect.TypeFor[client.Client]().Methods() {
		left[method.Name] = true
	}
	delete(left, "WithIdempotencyKey")
	for _, o := range operations {
		name := strings.ToUpper(o.id[:1]) + o.id[1:]
		if !left[name] {
			t.Errorf("the client has no method %s for %s", name, o.name())
			continue
		}
		delete(left, name)
		checkMethod(t, document, o, name)
	}
	for name := range left {
		t.Errorf("the client's method %s belongs to no operation", name)
	}
}

// sent is the last request that a client sent. Every answer is an empty object.
type sent struct {
	*http.Request

	body string
}

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.Request = r
	if r.Body != nil {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.body = string(raw)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

// checkMethod calls a method with the names of the path's parameters, in their order, and
// with zero values for everything else.
func checkMethod(t *testing.T, document map[string]any, o operation, name string) {
	t.Helper()
	s := new(sent)
	c := client.Client{BaseURL: "https://meet.example.com", Key: "svc_test_key", HTTP: &http.Client{Transport: s}}
	method := reflect.ValueOf(c).MethodByName(name)
	args := []reflect.Value{reflect.ValueOf(t.Context())}
	places := regexp.MustCompile(`{(\w+)}`).FindAllStringSubmatch(o.path, -1)
	path := o.path
	for i := 1; i < method.Type().NumIn(); i++ {
		arg := reflect.New(method.Type().In(i)).Elem()
		if i <= len(places) {
			place := places[i-1]
			if arg.Kind() == reflect.String {
				arg.SetString("a-" + place[1])
			}
			path = strings.Replace(path, place[0], fmt.Sprint(arg), 1)
		}
		args = append(args, arg)
	}
	out := method.Call(args)
	if method.Type().NumOut() == 1 { // a sequence sends when it is read
		for range out[0].Seq2() {
			t.Errorf("%s: a list without objects has one", name)
		}
	} else if err, failed := out[1].Interface().(error); failed {
		t.Errorf("%s: %v", name, err)
		return
	}
	if s.Method != o.method || s.URL.Path != "/api/v1"+path {
		t.Errorf("%s sends %s %s, want %s /api/v1%s", name, s.Method, s.URL.Path, o.method, path)
	}
	reads := o.method == http.MethodGet || o.id == "downloadRecording"
	if key := s.Header.Get("Idempotency-Key"); (key == "") != reads {
		t.Errorf("%s sends the Idempotency-Key %q", name, key)
	}
	checkQuery(t, o, name, s)
	checkBody(t, document, o, name, s, args[len(args)-1])
	checkResult(t, o, name, method.Type().Out(0))
}

// checkQuery compares the parameters with those of the document.
func checkQuery(t *testing.T, o operation, name string, s *sent) {
	t.Helper()
	parameters, _ := o.raw["parameters"].([]any)
	var known []string
	for _, p := range parameters {
		if described := p.(map[string]any); described["in"] == "query" {
			known = append(known, described["name"].(string))
		}
	}
	for parameter := range s.URL.Query() {
		if !slices.Contains(known, parameter) {
			t.Errorf("%s sends the parameter %s, which the operation does not have", name, parameter)
		}
	}
	if paged := slices.Contains(known, "starting_after"); paged != s.URL.Query().Has("limit") {
		t.Errorf("%s sends the query %q; the operation has the parameters %q", name, s.URL.RawQuery, known)
	}
}

// checkBody compares the body with that of the document. A body in which nothing was set
// has only the fields that are required, so that the service fills in the others.
func checkBody(t *testing.T, document map[string]any, o operation, name string, s *sent, arg reflect.Value) {
	t.Helper()
	request, takes := o.raw["requestBody"].(map[string]any)
	if !takes {
		if s.body != "" || s.Header.Get("Content-Type") != "" {
			t.Errorf("%s sends the body %q, which the operation does not take", name, s.body)
		}
		return
	}
	schema := schemaName(request)
	if arg.Type().Name() != schema {
		t.Errorf("%s takes %s, want api.%s", name, arg.Type(), schema)
		return
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(s.body), &fields); err != nil || s.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s sends %q as %q", name, s.body, s.Header.Get("Content-Type"))
	}
	required, _ := schemaOf(document, schema)["required"].([]any)
	for field := range fields {
		if !slices.Contains(required, any(field)) {
			t.Errorf("%s sends %s although nobody set it", name, field)
		}
	}
}

// checkResult compares what a method returns with the success of the document.
func checkResult(t *testing.T, o operation, name string, result reflect.Type) {
	t.Helper()
	if o.id == "getRecordingPart" {
		if result != reflect.TypeFor[[]byte]() {
			t.Errorf("%s returns %s, want bytes", name, result)
		}
		return
	}
	got := result.Name()
	if result.Kind() == reflect.Slice {
		got = result.Elem().Name() + "List"
	}
	if result.Kind() == reflect.Func { // a sequence: func(yield func(T, error) bool)
		got = result.In(0).In(0).Name() + "List"
	}
	success := o.raw["responses"].(map[string]any)[fmt.Sprint(o.success)].(map[string]any)
	if want := schemaName(success); got != want {
		t.Errorf("%s returns %s, want %s", name, got, want)
	}
}

// schemaName is the name of the object that a request or an answer holds as JSON.
func schemaName(holder map[string]any) string {
	schema := holder["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
	ref, _ := schema["$ref"].(string)
	return ref[strings.LastIndex(ref, "/")+1:]
}
