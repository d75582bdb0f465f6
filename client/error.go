package client

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// Error is returned when the service, or something in front of it, answered with a status
// other than 2xx. Use errors.AsType or errors.As.
type Error struct {
	Status int
	// Code is stable, for programs: not_found, insufficient_scope, ... Package api
	// has a constant for each. It is empty when something other than the service
	// answered.
	Code string
	// Message is a sentence for people.
	Message string
	// Param is the part of the request that is wrong, such as settings.access.
	Param string
	// Errors are all wrong fields of the request.
	Errors []api.FieldError
	// RequiredScope is the scope that the key lacks (insufficient_scope).
	RequiredScope string
	// RequestID names the request in the service's log.
	RequestID string
	// RetryAfter is how long the service asks to wait (429 and 503); 0 if it does
	// not say.
	RetryAfter time.Duration
}

// Error is the message, with the code and the id of the request.
func (e *Error) Error() string {
	message := e.Message
	if message == "" {
		message = strings.TrimSpace("the service answered " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status))
	}
	switch {
	case e.Code == "" && e.RequestID == "":
		return message
	case e.Code == "" || e.RequestID == "":
		return message + " (" + e.Code + e.RequestID + ")"
	}
	return message + " (" + e.Code + ", " + e.RequestID + ")"
}

func refusalOf(answer *http.Response, body []byte) *Error {
	e := &Error{Status: answer.StatusCode, RequestID: answer.Header.Get("Request-Id")}
	var said api.ErrorResponse
	if json.Unmarshal(body, &said) == nil {
		e.Code, e.Message, e.Param = said.Error.Code, said.Error.Message, said.Error.Param
		e.Errors, e.RequiredScope = said.Error.Errors, said.Error.RequiredScope
		if said.Error.RequestID != "" {
			e.RequestID = said.Error.RequestID
		}
	}
	if to := answer.Header.Get("Location"); e.Message == "" && to != "" {
		e.Message = "the service answered with a redirect to " + to + ", which is not followed: the key is sent only to BaseURL"
	}
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil {
		seconds = said.Error.RetryAfter
	}
	e.RetryAfter = time.Duration(max(seconds, 0)) * time.Second
	return e
}
