{{- define "conclave.labels" -}}
app.kubernetes.io/name: conclave
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The environment variable of a setting: CONCLAVE_ and the flag's name. */}}
{{- define "conclave.variable" -}}
CONCLAVE_{{ . | upper | replace "-" "_" }}
{{- end }}

{{/* The value of a setting. Lists are separated by commas. Helm reads numbers of a file
as floating-point numbers, and would write five billion as 5e+09. */}}
{{- define "conclave.value" -}}
{{- if kindIs "slice" . }}{{ join "," . }}
{{- else if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . }}
{{- else }}{{ . }}
{{- end }}
{{- end }}
