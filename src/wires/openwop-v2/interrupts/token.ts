import type { Engine } from '../../../app/engine.ts'
import { createInterruptToken, verifyInterruptToken } from '../../../app/runs/resolve-interrupt.ts'
import type { Tenant } from '../../../app/tenant.ts'
import { isColophonError } from '../../../core/errors.ts'
import type { Run } from '../../../core/run/run.ts'
import { v2Error } from '../errors.ts'

/**
 * Interrupt tokens of version 2: `ow2.hs256.<kid>.<payload>.<mac>`. The mac covers the algorithm and the key id, so neither can be
 * replaced. A token without `ow2.` is one of version 1 and stays valid until it expires.
 */
const keyId = 'tenant-1'
const signedPrefix = `hs256.${keyId}.`

/** A token that lets a client without an API key read and answer one interrupt; null when none is given out for it. */
export async function createToken(tenant: Tenant, run: Run, nodeId: string): Promise<string | null> {
  const token = await createInterruptToken(tenant, run, nodeId, signedPrefix)
  return token === null ? null : `ow2.${signedPrefix}${token}`
}

/** What a token of either version stands for. A token that this host did not make is 401, whatever is wrong with it. */
export async function verifyToken(engine: Engine, token: string) {
  const isV2 = token.startsWith('ow2.')
  if (isV2 && !token.startsWith(`ow2.${signedPrefix}`)) throw invalidToken()
  const verified = isV2
    ? verifyInterruptToken(engine, token.slice('ow2.'.length + signedPrefix.length), signedPrefix)
    : verifyInterruptToken(engine, token)
  return verified.catch((error: unknown) => {
    throw isColophonError(error, 'interrupt_not_found') ? invalidToken() : error
  })
}

function invalidToken() {
  return v2Error('interrupt_token_invalid', 'The token is not valid: read a new one of the run, or answer with a key.')
}
