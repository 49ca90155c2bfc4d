import type { z } from 'zod'
import { type Client, ClientError, type Compaction, type Distillation, isClientError } from '../client/index.ts'
import type { LineageOutput } from './all-output-schemas.ts'
import { withheldText } from './trace.ts'

type Output = z.input<typeof LineageOutput>
type Made = Output['made'][number]
type Source = { readonly id: string; readonly content: string }

/** How many texts of sources one result has; all of them are named by id. */
const sourceTextsMax = 20

/** What was distilled, merged and summarised in a ref, newest first. */
export async function listLineage(client: Client, memoryRef: string, limit: number): Promise<Made[]> {
  const [{ distillations }, { compactions }] = await Promise.all([
    client.distillations.list({ memoryRef, limit }),
    client.compactions.list({ memoryRef, limit }),
  ])
  const made = [...distillations.map(ofDistillation), ...compactions.map(ofCompaction)]
  return made.sort((one, other) => other.at.localeCompare(one.at)).slice(0, limit)
}

/** One of them, with its text and the first texts that it was made of. */
export async function lineageOf(
  client: Client,
  memoryRef: string,
  id: string,
): Promise<{ made: Made; output: Source | null; sources: Source[] }> {
  const found = id.startsWith('dst_') ? await client.distillations.get(id) : await client.compactions.get(id)
  // A connection that is bound to one ref does not learn about another.
  if (found.memoryRef !== memoryRef) throw new ClientError('not_found', 'There is nothing with this id in this ref.')
  const made = 'archiveId' in found ? ofDistillation(found) : ofCompaction(found)
  const [output, ...sources] = await Promise.all([
    'archiveId' in found ? readArchive(client, found) : textOf(client, found.outputId),
    ...(found.sourceIds ?? []).slice(0, sourceTextsMax).map((source) => textOf(client, source)),
  ])
  return { made, output: output ?? null, sources: sources.filter((source) => source !== null) }
}

/** The text of a distillation; null when it was undone, is forgotten or has expired. */
export async function readArchive(client: Client, { memoryRef, archiveId }: Distillation): Promise<Source | null> {
  if (archiveId === null) return null
  const entry = await unlessGone(client.memory.get(memoryRef, archiveId))
  return entry && { id: entry.id, content: entry.content }
}

/** The text of a memory, also if a merge ended it. One in quarantine is withheld, as in a trace. */
async function textOf(client: Client, id: string | null): Promise<Source | null> {
  const memory = id === null ? null : await unlessGone(client.memories.get(id))
  if (memory === null) return null
  const isWithheld = memory.quarantined === true || memory.status === 'contained'
  return { id: memory.id, content: isWithheld ? withheldText : memory.content }
}

async function unlessGone<T>(read: Promise<T>): Promise<T | null> {
  return read.catch((error: unknown) => {
    if (isClientError(error) && error.status === 404) return null
    throw error
  })
}

function ofDistillation({ archiveId, sourceIds, ...rest }: Distillation): Made {
  return { ...rest, kind: 'distillation', outputId: archiveId, ...(sourceIds && { sourceIds: [...sourceIds] }) }
}

function ofCompaction({ sourceIds, ...rest }: Compaction): Made {
  const kind = rest.reason === undefined ? 'summary' : 'merge'
  return { ...rest, kind, ...(sourceIds && { sourceIds: [...sourceIds] }) }
}
