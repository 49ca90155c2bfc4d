import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from './random.ts'
import { count, note, type Tally } from './tally.ts'
import { type Answer, type Call, codeOf, cutOf, isPassing, type Target, type Wire } from './wire.ts'

/** Calls that are retried until they get a response, as a correct client does. */
export type Caller = {
  /** The final response of the call, from any server unless one is named; null when none arrived within the time limit. */
  callUntilAnswered(call: Call, only?: Target): Promise<Answer | null>
  readonly tally: Tally
}

export type CallerParts = {
  readonly wire: Wire
  /** A server that is up, if there is one. */
  readonly pick: (random: Random) => Target | null
  readonly random: Random
  readonly tally: Tally
  /** Whether responses get lost, and connections break while a server works. */
  readonly isLossy: boolean
  /** Aborted when no caller waits any more. */
  readonly over: AbortSignal
}

const pauseMs = 10
const pauseMsMax = 300
/** Of so many attempts one loses its response, and one closes the connection at a random moment. */
const lossyEvery = 16
const hangUpMsMax = 12

export function createCaller({ wire, pick, random, tally, isLossy, over }: CallerParts): Caller {
  async function attempt(target: Target, call: Call): Promise<Answer | null> {
    const fate = isLossy ? random.below(lossyEvery) : -1
    try {
      const hangUp = fate === 1 ? AbortSignal.timeout(random.below(hangUpMsMax)) : undefined
      const answer = judge(tally, call, await wire(target, call, hangUp))
      if (fate !== 0) return answer
      count(tally.cuts, 'the answer got lost')
      return null
    } catch (error) {
      count(tally.cuts, cutOf(error))
      return null
    }
  }
  return {
    tally,
    async callUntilAnswered(call, only) {
      for (let tries = 0; !over.aborted; tries++) {
        const target = only ?? pick(random)
        if (target !== null && tries > 0) tally.retries += 1
        const answer = target === null ? null : await attempt(target, call)
        if (answer !== null) return answer
        await pause(Math.min(pauseMs * 2 ** Math.min(tries, 10), pauseMsMax))
      }
      note(tally, 'every call is answered', `${call.method} ${call.path} was never answered`)
      return null
    },
  }
}

/** Counts a refusal, and returns the final response of a call. A server error is recorded and retried. */
function judge(tally: Tally, call: Call, answer: Answer): Answer | null {
  if (answer.status < 400) return answer
  const code = codeOf(answer)
  count(tally.codes, code ?? `${answer.status} without a code`)
  const what = `${call.method} ${call.path}: ${answer.status} ${JSON.stringify(answer.body)}`
  if (code === null) note(tally, 'every failure has a code', what)
  if (answer.status === 500) note(tally, 'no internal error', what)
  return answer.status === 500 || isPassing(answer) ? null : answer
}
