import type { ErrorSpec } from '../errors.ts'

/** Errors of runs, interrupts and webhooks: a part of `errorTable`. */
export const runErrors = {
  run_changed: {
    kind: 'conflict',
    retryable: true,
    hint: 'The run was updated concurrently: read it again and retry.',
  },
  reads_stale: {
    kind: 'conflict',
    retryable: true,
    hint: 'Memory that the step read was forgotten, or secrets or rules changed: read again and retry.',
  },
  run_state: { kind: 'conflict', retryable: false, hint: 'Read the run: its status does not allow this now.' },
  run_already_active: {
    kind: 'conflict',
    retryable: true,
    hint: 'A run with the same scopeId is active: wait for it, or create this one without X-Dedup.',
  },
  credential_forbidden: {
    kind: 'forbidden',
    retryable: false,
    hint: 'This host has no credentials of model providers (`aiProviders`): omit configurable.ai.credentialRef.',
  },
  mock_provider_forbidden: {
    kind: 'forbidden',
    retryable: false,
    hint: 'This host has no mock provider: omit mockProvider.',
  },
  snapshot_expired: {
    kind: 'gone',
    retryable: false,
    hint: 'The memory at this snapshot was pruned after its retention. Start a new run.',
  },
  template_unresolved: {
    kind: 'invalid',
    retryable: false,
    hint: 'A {{path}} in the node names a value that the run does not have: check inputs and variables.',
  },
  pattern_budget_exceeded: {
    kind: 'refused',
    retryable: false,
    hint: 'Compare a shorter text, or use a simpler pattern or `contains` in the condition.',
  },
  capability_required: {
    kind: 'refused',
    retryable: false,
    hint: 'The workflow needs a capability that this host does not advertise: see /.well-known/openwop.',
  },
  capability_not_provided: {
    kind: 'refused',
    retryable: false,
    hint: 'The host does not have the capability that the details name, and does not advertise it.',
  },
  agent_not_found: {
    kind: 'missing',
    retryable: false,
    hint: 'Install the agent that the node names, then start a new run.',
  },
  agent_reference_unavailable: {
    kind: 'gone',
    retryable: false,
    hint: 'The file was deleted or has had too many versions since. Install the agent again, then start a new run.',
  },
  model_failed: {
    kind: 'refused',
    retryable: false,
    hint: 'Check COLOPHON_LLM_URL, COLOPHON_LLM_MODEL and COLOPHON_LLM_API_KEY, or use another model. Then start a new run.',
  },
  unsupported_stream_mode: {
    kind: 'invalid',
    retryable: false,
    hint: 'Use one of the supported modes, or several separated by commas; values cannot be combined.',
  },
  invalid_from_seq: {
    kind: 'refused',
    retryable: false,
    hint: 'Choose a sequence that the source run has: its events show them.',
  },
  replay_memory_snapshot_unavailable: {
    kind: 'refused',
    retryable: false,
    hint: 'The memory that the run read was pruned or forgotten, so it cannot be replayed. A replay never reads current memory.',
  },
  interrupt_not_found: {
    kind: 'missing',
    retryable: false,
    hint: 'No interrupt is open here: check the run, the node and the token.',
  },
  interrupt_already_resolved: {
    kind: 'conflict',
    retryable: false,
    hint: 'Another caller resolved it first: read the run.',
  },
  approval_repeated: {
    kind: 'conflict',
    retryable: false,
    hint: 'This key has already approved and counts once. The approval of another key is needed.',
  },
  interrupt_expired: { kind: 'gone', retryable: false, hint: 'The token has expired: read the run for a new one.' },
  interrupt_mismatch: {
    kind: 'refused',
    retryable: false,
    hint: 'Send the correlation that the interrupt asks for.',
  },
  interrupt_cancelled: {
    kind: 'refused',
    retryable: false,
    hint: 'The run ended before the interrupt was resolved. A resolution is no longer needed.',
  },
  webhook_url_rejected: {
    kind: 'invalid',
    retryable: false,
    hint: 'Use an https address that resolves to public hosts only.',
  },
  delivery_failed: {
    kind: 'refused',
    retryable: true,
    hint: 'The receiver did not accept the event. It is tried again, and kept as a dead letter after the last attempt.',
  },
  subscription_not_found: { kind: 'missing', retryable: false, hint: 'Check the webhook id; list them to see yours.' },
} as const satisfies Record<string, ErrorSpec>
