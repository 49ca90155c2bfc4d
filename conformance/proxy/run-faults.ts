// What can be wrong with memory in runs: what they see, and what is recorded of their reads and writes.
import { asArray, at, type JsonObject } from '../harness.ts'
import { inAnswersTo, inBodies, inRequestsTo, inVariables, inWritten, listPath, member } from './edits.ts'
import type { NoticedFault } from './noticed.ts'
import type { Fault } from './proxy.ts'

const isWritten = (event: unknown): boolean => at(event, 'type') === 'memory.written'

const inReads = (edit: (read: JsonObject) => JsonObject): Fault =>
  inAnswersTo(/\/reads$/, (body) => ({ ...body, reads: asArray(body.reads).map((read) => edit(member(read))) }))

/** A read of the memory of a run returns the current one. */
const withoutViews = inRequestsTo(listPath, (request) => ({
  ...request,
  path: request.path.replace(/\?runId=.*$/, ''),
}))

export const runFaults: readonly NoticedFault[] = [
  {
    name: 'the view of a run is the memory of today',
    scenario: 'memory-list-snapshot',
    reason: /what the run would see/,
    fault: withoutViews,
  },
  {
    name: 'the second read sees what others wrote meanwhile',
    scenario: 'memory-list-snapshot',
    reason: /the second list/,
    fault: inVariables((variables) => ({ ...variables, ...('after' in variables ? { after: [] } : {}) })),
  },
  {
    name: 'a run does not read what it wrote',
    scenario: 'memory-list-snapshot',
    reason: /the snapshot and the own write, newest first/,
    fault: inVariables((variables) => ('withOwn' in variables ? { ...variables, withOwn: [] } : variables)),
  },
  {
    name: 'the own delete shrinks the list of the run',
    scenario: 'memory-list-snapshot',
    reason: /the list after the own delete/,
    fault: inVariables((variables) => ('afterDelete' in variables ? { ...variables, afterDelete: [] } : variables)),
  },
  {
    name: 'a later run reads what was deleted',
    scenario: 'memory-list-snapshot',
    reason: /the next run/,
    fault: inVariables((variables) => ('all' in variables ? { ...variables, all: [] } : variables)),
  },
  {
    name: 'the journal shows the text of what was read',
    scenario: 'memory-list-snapshot',
    reason: /the journal of reads holds the text of an entry/,
    fault: inReads((read) => ({ ...read, text: 'kept from the start' })),
  },
  {
    name: 'the journal leaves entries out',
    scenario: 'memory-list-snapshot',
    reason: /entryIds of the read/,
    fault: inReads((read) => ({ ...read, entryIds: [] })),
  },
  {
    name: 'the journal names another position',
    scenario: 'memory-list-snapshot',
    reason: /position of the read/,
    fault: inReads((read) => ({ ...read, position: Number(read.position) + 1 })),
  },
  {
    name: 'a child has a memory of its own',
    scenario: 'agent-memory-parent-child',
    reason: /the child reads what the parent wrote before|the parent, after the child completed/,
    fault: inBodies(
      (value) => value.waitForCompletion === true,
      (config) => ({ ...config, memoryScopeIsolation: 'isolated' }),
    ),
  },
  {
    name: 'a parent reads the writes of a child that still runs',
    scenario: 'agent-memory-parent-child',
    reason: /a child that still runs/,
    fault: withoutViews,
  },
  {
    name: 'a write is recorded twice',
    scenario: 'memory-attribution-emits-on-write',
    reason: /for the one entry the node wrote/,
    fault: inAnswersTo(/\/events$/, (body) => ({
      ...body,
      events: asArray(body.events).flatMap((event) => (isWritten(event) ? [event, event] : [event])),
    })),
  },
  {
    name: 'a write to a scratchpad is not recorded',
    scenario: 'memory-attribution-emits-on-write',
    reason: /each write of a node is one event/,
    fault: inAnswersTo(/\/events$/, (body) => ({
      ...body,
      events: asArray(body.events).filter((event) => !String(at(event, 'payload', 'memoryRef')).startsWith('scratch:')),
    })),
  },
  {
    name: 'the memory of the session is not recorded',
    scenario: 'memory-attribution-emits-on-write',
    reason: /the memory of the session is one write more/,
    fault: inAnswersTo(/\/events$/, (body) => ({
      ...body,
      events: asArray(body.events).filter(
        (event) => !String(at(event, 'payload', 'memoryRef')).startsWith('runs:attribution'),
      ),
    })),
  },
  {
    name: 'the event of a write names an entry that is not there',
    scenario: 'memory-attribution-emits-on-write',
    reason: /what memory\.written names is got by it/,
    fault: inRequestsTo(/\/entries\/mem_/, (request) => ({ ...request, path: request.path.replace(/mem_/, 'mem_0') })),
  },
  {
    name: 'streams are asked for what they do not show',
    scenario: 'memory-attribution-emits-on-write',
    reason: /memory\.written in the stream/,
    fault: inRequestsTo(/\/events(\?streamMode=(updates|debug))?$/, (request) =>
      request.isStream ? { ...request, path: request.path.replace(/\?.*$|$/, '?streamMode=messages') } : request,
    ),
  },
  {
    name: 'a write is recorded after the end',
    scenario: 'memory-attribution-emits-on-write',
    reason: /the last event of a finished run/,
    fault: inAnswersTo(/\/events$/, (body) => ({
      ...body,
      events: asArray(body.events).toSorted((a, b) => Number(isWritten(a)) - Number(isWritten(b))),
    })),
  },
  {
    name: 'the event of a write shows the text',
    scenario: 'memory-attribution-no-content',
    reason: /has no content/,
    fault: inWritten((event) => ({ ...event, payload: { ...member(event.payload), content: 'what was written' } })),
  },
  {
    name: 'the event of a write shows the text under another name',
    scenario: 'memory-attribution-no-content',
    reason: /holds the text that was written/,
    fault: inWritten((event) => ({
      ...event,
      payload: { ...member(event.payload), excerpt: 'The round trip of a memory.' },
    })),
  },
  {
    name: 'the event of a write belongs to another run',
    scenario: 'memory-attribution-tenant-scoped',
    reason: /belongs to the run/,
    fault: inWritten((event) => ({ ...event, runId: 'run_another' })),
  },
]
