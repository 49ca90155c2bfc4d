import type { FastifyRequest } from 'fastify'
import type { Principal } from '../app/access/authenticate.ts'
import { hashKey } from '../core/access/api-key.ts'
import { isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { type Elsewhere, type TurnRules, Turns } from '../scheduling/fair-queue.ts'
import { principalOf } from './context.ts'

const line = 'requests'

/** The place of the look-up is free at once: the handler of the same request asks for it. */
const thenLeave =
  <T>(work: () => Promise<T>) =>
  (leave: () => void) =>
    work().finally(leave)

/** What of a request is needed to give it its turn. */
type Asking = Pick<FastifyRequest, 'headers' | 'scope'>

export type RequestTurnRules = Pick<TurnRules, 'share'> & Partial<Pick<TurnRules, 'holdMs' | 'limits' | 'now'>>

export type RequestTurns = {
  readonly waiting: () => number
  /** Who has asked lately; two of them, when there are more. */
  readonly asking: () => readonly string[]
  /** Who asks other processes. */
  readonly hear: (elsewhere: Elsewhere) => void
  /** Looks up a key. One that nobody knows may have made up its tenant: it neither waits in the line of that tenant nor fills it. */
  readonly knock: (request: Asking, authenticate: () => Promise<Principal>) => Promise<Principal>
  /** Does what was asked for. */
  readonly work: <T>(request: FastifyRequest, handler: () => Promise<T>) => Promise<T>
}

/**
 * Requests of tenants in turn: while others ask too, few of one tenant are worked on at once, then none for as long as they took,
 * and the rest wait before they cost anything. A place is held while the key is looked up and while the handler works, not while a body comes in.
 */
export function createRequestTurns(rules: RequestTurnRules): RequestTurns {
  const turns = new Turns({ of: 'request', places: null, holdMs: limits.requestHoldMs, inBursts: true, ...rules })
  /** Whose the keys are that opened the door lately. It only says in which line they wait: they are looked up all the same. */
  const tenants = new Map<string, string>()

  async function run<T>(tenant: string, scope: Asking['scope'], work: (leave: () => void) => Promise<T>): Promise<T> {
    const asked = performance.now()
    return turns.run(tenant, line, async (leave) => {
      if (scope) {
        scope.turnMs += performance.now() - asked
        scope.stepAside = leave
      }
      return work(leave)
    })
  }

  return {
    waiting: () => turns.waiting,
    asking: () => turns.asking(),
    hear: (elsewhere) => turns.hear(elsewhere),

    async knock({ headers, scope }, authenticate) {
      const hash = hashKey(headers.authorization ?? '')
      const known = tenants.get(hash)
      try {
        const principal = await (known === undefined ? authenticate() : run(known, scope, thenLeave(authenticate)))
        remember(hash, principal.tenantId)
        return principal
      } catch (error) {
        if (isColophonError(error) && error.kind === 'unauthenticated') tenants.delete(hash)
        throw error
      }
    },

    work: (request, handler) => run(principalOf(request).tenantId, request.scope, handler),
  }

  /** The latest at the end; the oldest make room. */
  function remember(hash: string, tenantId: string): void {
    tenants.delete(hash)
    tenants.set(hash, tenantId)
    const [oldest] = tenants.size > limits.requestKeysMax ? tenants.keys() : []
    if (oldest !== undefined) tenants.delete(oldest)
  }
}
