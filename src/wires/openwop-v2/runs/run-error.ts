import type { RunError } from '../../../core/run/run.ts'

/** Codes of version 2 that a run or a node can fail with. Other codes have no meaning on that wire. */
const registered: ReadonlySet<string> = new Set([
  'validation_error',
  'forbidden',
  'not_found',
  'replay_source_missing',
  'version_conflict',
  'replay_memory_snapshot_unavailable',
  'run_expired',
  'interrupt_expired',
  'payload_too_large',
  'approval_rejected',
  'budget_exhausted',
  'capability_not_provided',
  'capability_required',
  'loop_limit_exceeded',
  'node_config_invalid',
  'recursion_limit_exceeded',
  'run_timeout',
  'storage_limit_exceeded',
  'token_budget_exceeded',
  'envelope_invalid',
  'rate_limited',
  'internal_error',
  'upstream_unavailable',
  'service_unavailable',
])

const replaced: Readonly<Record<string, string>> = {
  secret_leakage: 'validation_error',
  template_unresolved: 'node_config_invalid',
  content_erased: 'not_found',
  snapshot_expired: 'run_expired',
  interrupt_timeout: 'interrupt_expired',
  state_too_large: 'storage_limit_exceeded',
  engine_gave_up: 'service_unavailable',
}

/**
 * Why a run or a node failed, with a registered code. The code that the workflow or the engine chose is kept in the details when it is
 * another one.
 */
export function toShownError({ code, message, details }: RunError): RunError {
  const shown = toShownCode(code, details)
  const text = message === '' ? 'The run failed.' : message
  if (shown === code) return { code, message: text, ...(details === undefined ? {} : { details }) }
  return { code: shown, message: text, details: { ...details, code } }
}

function toShownCode(code: string, details: RunError['details']): string {
  // An approval that is not given in time is a rejection.
  if (code === 'interrupt_timeout' && details?.kind === 'approval') return 'approval_rejected'
  // The config of the node names a workflow that is not loaded.
  if (code === 'not_found' && details?.missing === 'workflow') return 'node_config_invalid'
  if (registered.has(code)) return code
  return (Object.hasOwn(replaced, code) ? replaced[code] : undefined) ?? 'internal_error'
}
