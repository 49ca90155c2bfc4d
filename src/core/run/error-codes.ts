import type { ErrorSpec } from '../errors.ts'

/** What can go wrong with runs, their questions and their webhooks: part of the one table of error codes. */
export const runErrors = {
  run_changed: {
    kind: 'conflict',
    retryable: true,
    hint: 'The run went on while the call was under way: read it again and retry.',
  },
  reads_stale: {
    kind: 'conflict',
    retryable: true,
    hint: 'Something was forgotten, or secrets or rules changed, after the step read memory: read again and retry.',
  },
  run_state: { kind: 'conflict', retryable: false, hint: 'Read the run: its status does not allow this now.' },
  run_already_active: {
    kind: 'conflict',
    retryable: true,
    hint: 'A run with the same scopeId is under way: wait for it, or create this one without X-Dedup.',
  },
  snapshot_expired: {
    kind: 'gone',
    retryable: false,
    hint: 'What this run or moment saw is no longer kept: retention has passed. Start a new run.',
  },
  template_unresolved: {
    kind: 'invalid',
    retryable: false,
    hint: 'A {{path}} in the node names something the run does not have: check inputs and variables.',
  },
  pattern_budget_exceeded: {
    kind: 'refused',
    retryable: false,
    hint: 'Compare a shorter text, or use a simpler pattern or `contains` in the condition.',
  },
  capability_required: {
    kind: 'refused',
    retryable: false,
    hint: 'The workflow needs something this host does not advertise: see /.well-known/openwop.',
  },
  capability_not_provided: {
    kind: 'refused',
    retryable: false,
    hint: 'The node needs a runtime capability this host does not have.',
  },
  unsupported_stream_mode: {
    kind: 'invalid',
    retryable: false,
    hint: 'Use one of the supported modes, or several by comma; values stands alone.',
  },
  invalid_from_seq: {
    kind: 'refused',
    retryable: false,
    hint: 'Choose a sequence that the source run has: its events show them.',
  },
  replay_memory_snapshot_unavailable: {
    kind: 'refused',
    retryable: false,
    hint: 'What the run read is no longer kept, so it cannot be repeated. It is never served from today’s memory.',
  },
  interrupt_not_found: {
    kind: 'missing',
    retryable: false,
    hint: 'Nothing waits for an answer here: check the run, the node and the token.',
  },
  interrupt_already_resolved: { kind: 'conflict', retryable: false, hint: 'Somebody answered first: read the run.' },
  approval_repeated: {
    kind: 'conflict',
    retryable: false,
    hint: 'This key has approved already, and counts once: another approver has to.',
  },
  interrupt_expired: { kind: 'gone', retryable: false, hint: 'The token has expired: read the run for a new one.' },
  interrupt_mismatch: {
    kind: 'refused',
    retryable: false,
    hint: 'The answer is for something else: send the correlation that the run waits for.',
  },
  interrupt_cancelled: {
    kind: 'refused',
    retryable: false,
    hint: 'The run ended while it waited: its answer is not needed any more.',
  },
  webhook_url_rejected: {
    kind: 'invalid',
    retryable: false,
    hint: 'Use an https address that resolves to public hosts only.',
  },
  delivery_failed: {
    kind: 'refused',
    retryable: true,
    hint: 'The receiver did not take the event: it is tried again, and then kept as a dead job.',
  },
  subscription_not_found: { kind: 'missing', retryable: false, hint: 'Check the webhook id; list them to see yours.' },
} as const satisfies Record<string, ErrorSpec>
