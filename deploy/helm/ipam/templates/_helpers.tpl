{{- define "ipam.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "ipam.image" -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion | replace "+" "-") }}
{{- end -}}

{{/* Labels that select the pods of a part: (list . "api") */}}
{{- define "ipam.selector" -}}
app.kubernetes.io/name: {{ (index . 0).Chart.Name }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "ipam.labels" -}}
{{ include "ipam.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | replace "+" "_" | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" | trunc 63 | quote }}
{{- end -}}

{{/* What all pods have: account, volumes, pull secrets. */}}
{{- define "ipam.pod" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
automountServiceAccountToken: false
securityContext:
  seccompProfile: {type: RuntimeDefault}
  fsGroup: 990
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  - name: key
    secret:
      secretName: {{ .Values.existingSecret }}
      items: [{key: secret.key, path: secret.key}]
      defaultMode: 0440
{{- end -}}

{{/* What all containers have: image, mounts, settings. */}}
{{- define "ipam.container" -}}
image: {{ include "ipam.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
volumeMounts:
  - {name: data, mountPath: /var/lib/ipam}
  - {name: tmp, mountPath: /tmp}
  - {name: key, mountPath: /etc/ipam, readOnly: true}
{{- end -}}

{{- define "ipam.env" -}}
- name: IPAM_DATABASE_URL
  valueFrom:
    secretKeyRef: {name: {{ .Values.existingSecret }}, key: database-url}
- {name: IPAM_SECRET_KEY_FILE, value: /etc/ipam/secret.key}
{{- range $name, $value := .Values.settings }}
- {name: IPAM_{{ upper $name }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- end -}}

{{/* Rights of a container that needs none. */}}
{{- define "ipam.unprivileged" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 990
  runAsGroup: 990
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end -}}

{{- define "ipam.probes" -}}
readinessProbe:
  httpGet: {path: /readyz, port: health}
  periodSeconds: 5
  timeoutSeconds: 4
livenessProbe:
  httpGet: {path: /healthz, port: health}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end -}}
