{{- define "conclave.labels" -}}
app.kubernetes.io/name: conclave
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The environment variable of a setting: CONCLAVE_ and the flag's name. */}}
{{- define "conclave.variable" -}}
CONCLAVE_{{ . | upper | replace "-" "_" }}
{{- end }}
