// What can be wrong when a run is repeated.
import { at } from '../harness.ts'
import { inForkLogs, inRequestsTo, listPath, member } from './edits.ts'
import type { NoticedFault } from './noticed.ts'
import type { Fault } from './proxy.ts'

/** After a fork, lists show an entry more than before it. */
function growLists(): Fault {
  let forks = 0
  return {
    answer(answer, { method, path }) {
      if (path.endsWith(':fork')) forks += 1
      const { entries, ...rest } = member(answer.body)
      if (forks === 0 || method !== 'GET' || !listPath.test(path) || !Array.isArray(entries)) return answer
      return { ...answer, body: { ...rest, entries: [...entries, { ...member(entries[0]), id: `mem_${forks}` }] } }
    },
  }
}

export const replayFaults: readonly NoticedFault[] = [
  {
    name: 'a replay says nothing of its writes',
    scenario: 'memory-attribution-replay-stable',
    reason: /the replay left out/,
    fault: inForkLogs((events) => events.filter(({ type }) => type !== 'memory.written')),
  },
  {
    name: 'a replay writes under other ids',
    scenario: 'memory-attribution-replay-stable',
    reason: /the replay left out|the source never made/,
    fault: inForkLogs((events) =>
      events.map((event) =>
        event.type === 'memory.written'
          ? { ...event, payload: { ...member(event.payload), memoryId: 'mem_other' } }
          : event,
      ),
    ),
  },
  {
    name: 'a replay records a write twice',
    scenario: 'memory-attribution-replay-stable',
    reason: /each once/,
    fault: inForkLogs((events) =>
      events.flatMap((event) => (event.type === 'memory.written' ? [event, event] : [event])),
    ),
  },
  {
    name: 'a replay does everything again',
    scenario: 'replay-memory-snapshot',
    reason: /replay from 0/,
    fault: inRequestsTo(/:fork$/, (request) => ({ ...request, body: { ...request.body, mode: 'branch' } })),
  },
  {
    name: 'a replay records its own instants, not those of the source',
    scenario: 'replay-memory-snapshot',
    reason: /memory\.written, as it was recorded/,
    fault: inForkLogs((events) => events.map((event) => ({ ...event, timestamp: new Date().toISOString() }))),
  },
  {
    name: 'a replay stores what it repeats',
    scenario: 'replay-memory-snapshot',
    reason: /replay from 0: what is stored, before and after/,
    fault: growLists(),
  },
  {
    name: 'what has expired is replayed',
    scenario: 'replay-memory-snapshot',
    reason: /a replay of what has expired since/,
    fault: {
      answer: (answer, { path }) =>
        path.endsWith(':fork') && answer.status === 422 && at(answer.body, 'details', 'cause') === 'expired'
          ? { status: 201, body: { runId: 'run_served' } }
          : answer,
    },
  },
  {
    name: 'a branch only repeats',
    scenario: 'replay-memory-snapshot',
    reason: /a branch writes under a fresh id/,
    fault: inRequestsTo(/:fork$/, (request) => ({ ...request, body: { ...request.body, mode: 'replay' } })),
  },
  {
    name: 'a replay of what is gone is refused for another reason',
    scenario: 'multi-agent-memory-lifecycle',
    reason: /a replay of an expired run/,
    fault: {
      answer: (answer, { path }) =>
        path.endsWith(':fork') ? { ...answer, body: { ...member(answer.body), error: 'validation_error' } } : answer,
    },
  },
  {
    name: 'an expired entry is refused without a reason',
    scenario: 'multi-agent-memory-lifecycle',
    reason: /details\.reason/,
    fault: {
      answer: (answer, { path }) => {
        const body = member(answer.body)
        return path.endsWith(':fork')
          ? { ...answer, body: { ...body, details: { ...member(body.details), reason: 'x' } } }
          : answer
      },
    },
  },
  {
    name: 'what is gone hides that the log never had the sequence',
    scenario: 'multi-agent-memory-lifecycle',
    reason: /a replay from a sequence the run never had/,
    fault: inRequestsTo(/:fork$/, (request) => ({ ...request, body: { ...request.body, fromSeq: 0 } })),
  },
  {
    name: 'a replay of what is gone is served',
    scenario: 'multi-agent-memory-lifecycle',
    reason: /a replay of an expired run: status/,
    fault: {
      answer: (answer, { path }) => (path.endsWith(':fork') ? { status: 201, body: { runId: 'run_served' } } : answer),
    },
  },
]
