import assert from 'node:assert/strict'
import type { Batch, Committed } from '../../src/core/commit/batch.ts'
import { isEnded } from '../../src/core/run/run.ts'

/**
 * What was written, kept by the test itself from the batches on their way into the store: the other half of every
 * comparison. It knows nothing of how a store reads.
 */

export type Written = {
  readonly ref: string
  readonly id: string
  readonly version: number
  readonly content: string
  readonly tags: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number | null
  /** Newest first goes by this, descending. */
  readonly place: readonly [position: number, ordinal: number]
  readonly from: number
  until: number | null
  /** The run that recorded it, and the sequence of that event. */
  readonly by: { readonly runId: string; readonly sequence: number } | null
}

/** What a run is created with, and by which commit. */
export type Birth = {
  readonly runId: string
  readonly snapshot: number
  readonly parent: { readonly runId: string; readonly nodeId: string; readonly isIsolated: boolean } | null
  readonly fork: { readonly sourceRunId: string; readonly fromSeq: number; readonly mode: string } | null
  /** How many events it began with: a fork that begins inside a group of events may be given the rest of the group. */
  readonly inherited: number
}

export class History {
  readonly versions: Written[] = []
  readonly creations = new Map<string, Birth>()
  /** The positions just before calls were stored, by run and ordinal. */
  readonly #before = new Map<string, number>()
  #position = 0
  #lastAt = 0

  get position(): number {
    return this.#position
  }

  /** The position just before a call of a run was stored: what was live then is what the call could change. */
  positionBefore(runId: string, ordinal: number): number {
    return this.#before.get(`${runId} ${ordinal}`) ?? -1
  }

  /** Applies a stored batch. `now` is the clock at its commit. */
  note(batch: Batch, committed: Committed, now: number): void {
    if (committed.repeated) return
    const before = this.#position
    const at = Math.max(now, this.#lastAt)
    const position = before + 1
    const isMoved = this.#change(batch, position, at, now)
    if (isMoved) {
      this.#position = position
      this.#lastAt = at
    }
    assert.equal(
      committed.outcome.position,
      this.#position,
      'the position grows by one with every change, and only then',
    )
    for (const { expects, run, calls, events } of batch.runs) {
      for (const { ordinal } of calls) this.#before.set(`${run.runId} ${ordinal}`, before)
      if (expects !== 0) continue
      const { parent, fork } = run.facts
      const shared = fork?.sourceRunId ?? parent?.runId
      const snapshot = shared === undefined ? before : (this.creations.get(shared)?.snapshot ?? -1)
      this.creations.set(run.runId, { runId: run.runId, snapshot, parent, fork, inherited: events.length })
    }
  }

  #change(batch: Batch, position: number, at: number, now: number): boolean {
    const attributions = attributionsOf(batch)
    // The end of a run is recorded; a replay writes nothing.
    let changes =
      batch.admin.length +
      batch.runs.filter(({ run }) => isEnded(run.status) && run.facts.fork?.mode !== 'replay').length
    batch.puts.forEach((put, ordinal) => {
      changes += 1
      this.versions.push({
        ref: put.memoryRef,
        id: put.entryId,
        version: 1,
        content: put.content,
        tags: put.tags,
        createdAt: at,
        expiresAt: put.expiresAt,
        place: [position, ordinal],
        from: position,
        until: null,
        by: attributions.get(put.entryId) ?? null,
      })
    })
    for (const { memoryRef, entryId, content, tags } of batch.revisions) {
      const live = this.#live(memoryRef, entryId, now)
      assert.ok(live, 'only what is there is revised')
      changes += 1
      live.until = position
      this.versions.push({ ...live, version: live.version + 1, content, tags, from: position, until: null, by: null })
    }
    for (const { memoryRef, entryId } of batch.ends) {
      const live = this.#live(memoryRef, entryId, now)
      if (!live || live.from === position) continue
      changes += 1
      live.until = position
    }
    return changes > 0
  }

  #live(ref: string, id: string, now: number): Written | undefined {
    return this.versions.find((row) => row.ref === ref && row.id === id && row.until === null && !isOver(row, now))
  }
}

export function isOver({ expiresAt }: Pick<Written, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

/** Which run wrote which entry, by the events that are stored with it. */
function attributionsOf(batch: Batch): Map<string, { runId: string; sequence: number }> {
  const attributions = new Map<string, { runId: string; sequence: number }>()
  for (const { run, firstSequence, events } of batch.runs) {
    events.forEach(({ type, facts }, index) => {
      if (type === 'memory.written')
        attributions.set(String(facts.memoryId), { runId: run.runId, sequence: firstSequence + index })
    })
  }
  return attributions
}
