// Compares what a run says it saw with the journal the host kept of its reads.
import type { Check, JsonObject } from '../harness.ts'
import { type Entry, expectEntries, expectEntry, idsOf } from './entry.ts'
import type { Journal } from './extension.ts'
import type { WorkflowNode } from './workflow.ts'

const ops: Readonly<Record<string, string>> = { 'colophon.memory.list': 'list', 'colophon.memory.get': 'get' }

/** What a reading node left in its variable, as a list; a get that found nothing is an empty one. */
function seenBy(check: Check, node: WorkflowNode, variables: JsonObject): Entry[] {
  const value = variables[String(node.config.into)]
  if (node.typeId === 'colophon.memory.list') return expectEntries(check, value, node.id)
  return value === null ? [] : [expectEntry(check, value, node.id)]
}

/** One journal row per read, in the order of the reads, with exactly the ids that the run got. */
export function expectJournal(
  check: Check,
  journal: Journal,
  nodes: readonly WorkflowNode[],
  variables: JsonObject,
): void {
  const readers = nodes.filter(({ typeId }) => ops[typeId] !== undefined)
  check.equal(
    journal.reads.map(({ nodeId, op, memoryRef }) => ({ nodeId, op, memoryRef })),
    readers.map(({ id, typeId, config }) => ({ nodeId: id, op: ops[typeId], memoryRef: config.memoryRef })),
    'the reads of the journal',
  )
  for (const [index, node] of readers.entries()) {
    const read = journal.reads[index]
    const ids = idsOf(seenBy(check, node, variables))
    check.equal(read?.entryIds, ids, `entryIds of the read at ${node.id}`)
    check.equal(read?.position, journal.snapshot.position, `position of the read at ${node.id}`)
    check.ok(!Number.isNaN(Date.parse(String(read?.at))), `the read at ${node.id} has an instant`)
  }
  const sequences = journal.reads.map(({ sequence }) => sequence)
  check.equal(
    sequences,
    sequences.toSorted((a, b) => a - b),
    'the sequences of the reads',
  )
}
