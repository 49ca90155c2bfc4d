import { checkCharacters, checkIdentifier } from '../../core/check.ts'
import { readerForbidden } from '../../core/entries/readers.ts'
import { invalid } from '../../core/errors.ts'
import type { HeartbeatPredicate, PredicateKind } from '../../core/heartbeats/heartbeat.ts'
import { limits } from '../../core/limits.ts'
import { checkWrittenRef, isPrivateRef } from '../../core/names.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import type { Tenant } from '../tenant.ts'

/** What a heartbeat observes, as the client names it. */
export type Observed = {
  readonly memoryRef?: string | undefined
  readonly tag?: string | undefined
  readonly claimId?: string | undefined
}

/** Refuses what cannot be observed, with its field. */
export function parsePredicate({ reader }: Tenant, kind: PredicateKind, observed: Observed): HeartbeatPredicate {
  const { memoryRef, tag = null, claimId = null } = observed
  if (kind === 'claim') {
    if (memoryRef !== undefined || tag !== null)
      throw invalid(memoryRef === undefined ? 'tag' : 'memoryRef', 'is only allowed with count or position')
    checkIdentifier('claimId', claimId, 'entryIdCharactersMax', limits.entryIdCharactersMax)
    return { kind, memoryRef: null, tag: null, claimId }
  }
  if (claimId !== null) throw invalid('claimId', 'is only allowed with claim')
  if (kind === 'backlog') {
    if (memoryRef !== undefined || tag !== null)
      throw invalid(memoryRef === undefined ? 'tag' : 'memoryRef', 'is only allowed with count or position')
    if (reader !== null) throw readerForbidden('Jobs belong to the whole tenant: a reader cannot observe them.')
    return { kind, memoryRef: null, tag, claimId }
  }
  checkWrittenRef(memoryRef)
  if (isPrivateRef(memoryRef) || isEphemeralRef(memoryRef)) throw invalid('memoryRef', 'must be a ref of memory')
  if (tag !== null) checkCharacters('tag', tag, 'tagCharactersMax', limits.tagCharactersMax)
  return { kind, memoryRef, tag, claimId }
}
