import { checkCount } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../workflow/json.ts'
import { workflowLimits } from '../workflow/limits.ts'

/** Who may decide an approval, and how many of them must agree. */
export type Quorum = {
  /** Null when it can never be reached: what the workflow asked for is no longer there. */
  readonly required: number | null
  /** Keys by their id; null is any key that may respond to approvals. */
  readonly approvers: readonly string[] | null
}

/**
 * Refuses what this host would not enforce. A template is filled in when the node is executed, so as `written` a text with one
 * passes, and is judged when it is `filled`.
 */
export function checkQuorum(config: JsonObject, field: string, form: 'written' | 'filled'): void {
  const isOpen = (value: unknown) => form === 'written' && typeof value === 'string' && value.includes('{{')
  const { requiredApprovals: required, approversList: approvers, actions } = config
  refuseUnenforced(config, field)
  if (required !== undefined && !isOpen(required)) checkCount(`${field}.requiredApprovals`, required, 1)
  if (approvers !== undefined && !isOpen(approvers)) checkApprovers(`${field}.approversList`, approvers)
  if (typeof required !== 'number' || required === 1) return
  const others =
    Array.isArray(actions) && actions.some((action) => ['refine', 'edit-accept'].includes(action as string))
  if (others) throw invalid(`${field}.actions`, 'must be accept, reject or ask when several approvals are required')
  if (!Array.isArray(approvers) || approvers.length === 0 || approvers.some(isOpen)) return
  if (new Set(approvers.map(keyIdOf)).size < required)
    throw invalid(`${field}.requiredApprovals`, 'must not be more than the keys that approversList names')
}

function checkApprovers(field: string, approvers: unknown): void {
  const max = workflowLimits.approversMax
  const isList = Array.isArray(approvers) && approvers.every((name) => typeof name === 'string' && name !== '')
  if (!isList) throw invalid(field, 'must be a list of key ids')
  if (approvers.length > max) throw invalid(field, `must have at most ${max} members`, { limit: 'approversMax', max })
}

/** What would change who may decide, and has no meaning here, must not look as if it had. */
function refuseUnenforced(config: JsonObject, field: string): void {
  if (config.rejectionPolicy !== undefined && config.rejectionPolicy !== 'single-veto')
    throw invalid(`${field}.rejectionPolicy`, 'must be single-veto: here one rejection rejects')
  if (config.overrideBypassesQuorum !== undefined && config.overrideBypassesQuorum !== false)
    throw invalid(`${field}.overrideBypassesQuorum`, 'must be false: no approver bypasses the others here')
  for (const name of ['approverGroupRefs', 'approverRoleRefs']) {
    const refs = config[name]
    if (refs === undefined || (Array.isArray(refs) && refs.length === 0)) continue
    throw new ColophonError(
      'capability_required',
      `${field}.${name} needs the capability interrupt.approverRouting, which this host does not have: name keys in approversList.`,
      { details: { field: `${field}.${name}`, requiredCapability: 'interrupt.approverRouting' } },
    )
  }
}

/** Fails closed: if forgetting or redaction took something out of the question, what is left opens nothing. */
export function quorumOf(data: JsonObject): Quorum {
  const { requiredApprovals, approversList } = data
  const required = requiredApprovals === undefined ? 1 : requiredApprovals
  const names = Array.isArray(approversList) ? approversList.filter((name) => typeof name === 'string') : []
  const isAnyone = approversList === undefined || (Array.isArray(approversList) && approversList.length === 0)
  return {
    required: typeof required === 'number' && Number.isSafeInteger(required) && required >= 1 ? required : null,
    approvers: isAnyone ? null : names.map(keyIdOf),
  }
}

/** Whether the answer must come from a key: a token allows an answer, but does not say who answers. */
export function needsKey({ required, approvers }: Quorum): boolean {
  return required !== 1 || approvers !== null
}

export function isApprover(quorum: Quorum, by: string | null): boolean {
  if (!needsKey(quorum)) return true
  return by !== null && (quorum.approvers === null || quorum.approvers.includes(keyIdOf(by)))
}

export function isAcceptance(value: unknown): boolean {
  return isJsonObject(value) && (value.action === 'accept' || value.action === 'edit-accept')
}

/** A key is named by its id, or as events name it. */
function keyIdOf(name: string): string {
  return name.replace(/^key:/, '')
}
