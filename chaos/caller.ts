import { setTimeout as pause } from 'node:timers/promises'
import { begin } from './phase.ts'
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
  /** Aborted when the run has ended. */
  readonly over: AbortSignal
}

/** Longer than any fault keeps all servers from answering, also on a machine with other work. */
const answerMsMax = 120_000
const pauseMs = 10
const pauseMsMax = 300
/** Of so many attempts one loses its response, and one closes the connection at a random moment. */
const lossyEvery = 16
const hangUpMsMax = 12

export function createCaller({ wire, pick, random, tally, isLossy, over }: CallerParts): Caller {
  /** The final response, or why there is none. */
  async function attempt(target: Target, call: Call): Promise<Answer | string> {
    const fate = isLossy ? random.below(lossyEvery) : -1
    try {
      const hangUp = fate === 1 ? AbortSignal.timeout(random.below(hangUpMsMax)) : undefined
      const answer = judge(tally, call, await wire(target, call, hangUp))
      if (fate !== 0) return answer
      const lost = 'the answer got lost'
      count(tally.cuts, lost)
      return lost
    } catch (error) {
      const cut = cutOf(error)
      count(tally.cuts, cut)
      return cut
    }
  }
  return {
    tally,
    async callUntilAnswered(call, only) {
      using step = begin(tally, `${call.method} ${call.path}`)
      for (let tries = 0; !over.aborted && Date.now() - step.since < answerMsMax; tries++) {
        const target = only ?? pick(random)
        if (target !== null && tries > 0) tally.retries += 1
        const answer = target === null ? 'no server is up' : await attempt(target, call)
        if (typeof answer !== 'string') return answer
        step.last = answer
        await pause(Math.min(pauseMs * 2 ** Math.min(tries, 10), pauseMsMax))
      }
      note(tally, 'every call is answered', `${step.what} was not answered in ${answerMsMax / 1_000} s: ${step.last}`)
      return null
    },
  }
}

/** Counts a refusal, and returns the final response of a call. A server error is recorded and retried: then it is named. */
function judge(tally: Tally, call: Call, answer: Answer): Answer | string {
  if (answer.status < 400) return answer
  const code = codeOf(answer)
  count(tally.codes, code ?? `${answer.status} without a code`)
  const what = `${call.method} ${call.path}: ${answer.status} ${JSON.stringify(answer.body)}`
  if (code === null) note(tally, 'every failure has a code', what)
  if (answer.status === 500) note(tally, 'no internal error', what)
  return answer.status === 500 || isPassing(answer) ? `${answer.status} ${code}` : answer
}
