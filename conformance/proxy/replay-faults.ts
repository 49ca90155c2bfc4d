// What can be wrong when a run is repeated.
import { inForkLogs, inRequestsTo, member } from './edits.ts'
import type { NoticedFault } from './noticed.ts'

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
    name: 'a replay tells a write twice',
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
    name: 'a replay tells when it told, not when it happened',
    scenario: 'replay-memory-snapshot',
    reason: /memory\.written, as it was recorded/,
    fault: inForkLogs((events) => events.map((event) => ({ ...event, timestamp: new Date().toISOString() }))),
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
    name: 'a replay of what is gone is served',
    scenario: 'multi-agent-memory-lifecycle',
    reason: /a replay of an expired run: status/,
    fault: {
      answer: (answer, { path }) => (path.endsWith(':fork') ? { status: 201, body: { runId: 'run_served' } } : answer),
    },
  },
]
