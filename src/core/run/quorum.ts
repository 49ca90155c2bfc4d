import { checkCount } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../workflow/json-values.ts'
import { workflowLimits } from '../workflow/workflow-limits.ts'

/** Which keys may decide an approval, and how many of them must accept. */
export type Quorum = {
  /** Null when it can never be reached, because the number was erased or redacted. */
  readonly required: number | null
  /** Keys by id; null allows any key with `approvals:respond`. */
  readonly approvers: readonly string[] | null
}

/**
 * Refuses approval settings that this host would not enforce. Templates are resolved when the node is executed: a text with a template
 * passes as `written`, and is checked as `filled`.
 */
export function checkQuorum(config: JsonObject, field: string, form: 'written' | 'filled'): void {
  const hasTemplate = (value: unknown) => form === 'written' && typeof value === 'string' && value.includes('{{')
  const { requiredApprovals: required, approversList: approvers, actions } = config
  refuseUnenforced(config, field)
  if (required !== undefined && !hasTemplate(required)) checkCount(`${field}.requiredApprovals`, required, 1)
  if (approvers !== undefined && !hasTemplate(approvers)) checkApprovers(`${field}.approversList`, approvers)
  if (typeof required !== 'number' || required === 1) return
  const others =
    Array.isArray(actions) && actions.some((action) => ['refine', 'edit-accept'].includes(action as string))
  if (others) throw invalid(`${field}.actions`, 'must be accept, reject or ask when several approvals are required')
  if (!Array.isArray(approvers) || approvers.length === 0 || approvers.some(hasTemplate)) return
  if (new Set(approvers.map(keyIdOf)).size < required)
    throw invalid(`${field}.requiredApprovals`, 'must not be more than the keys that approversList names')
}

function checkApprovers(field: string, approvers: unknown): void {
  const max = workflowLimits.approversMax
  const isList = Array.isArray(approvers) && approvers.every((name) => typeof name === 'string' && name !== '')
  if (!isList) throw invalid(field, 'must be a list of key ids')
  if (approvers.length > max) throw invalid(field, `must have at most ${max} members`, { limit: 'approversMax', max })
}

/** Refuses settings about approvers that have no effect on this host: the author would rely on them. */
function refuseUnenforced(config: JsonObject, field: string): void {
  if (config.rejectionPolicy !== undefined && config.rejectionPolicy !== 'single-veto')
    throw invalid(`${field}.rejectionPolicy`, 'must be single-veto: one rejection rejects')
  if (config.overrideBypassesQuorum !== undefined && config.overrideBypassesQuorum !== false)
    throw invalid(`${field}.overrideBypassesQuorum`, 'must be false: no approver bypasses the others')
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

/** The quorum of an approval. It fails closed: if a forget or redaction removed a part of it, the approval cannot be given. */
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

/** Whether the resolution must come from a key: an interrupt token does not identify its user. */
export function needsKey({ required, approvers }: Quorum): boolean {
  return required !== 1 || approvers !== null
}

/** Whether a key may decide the approval; `by` is null for an interrupt token. */
export function isApprover(quorum: Quorum, by: string | null): boolean {
  if (!needsKey(quorum)) return true
  return by !== null && (quorum.approvers === null || quorum.approvers.includes(keyIdOf(by)))
}

/** Whether a resolution accepts. */
export function isAcceptance(value: unknown): boolean {
  return isJsonObject(value) && (value.action === 'accept' || value.action === 'edit-accept')
}

/** The id of a key, also when it is written as an actor (`key:<id>`). */
function keyIdOf(name: string): string {
  return name.replace(/^key:/, '')
}
