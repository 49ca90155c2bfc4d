// A run reads its snapshot and its own writes while another writer keeps changing the same memory.
import { openColophon } from '../src/index.ts'

const colophon = await openColophon({ inMemory: true, actor: 'example' })
const memory = colophon.memory('acme')
const ref = 'projects/launch'

async function show(title: string, options: Parameters<typeof memory.list>[1] = {}): Promise<void> {
  const { entries } = await memory.list(ref, options)
  console.log(`${title}\n  ${entries.map((entry) => entry.content).join('\n  ')}`)
}

const date = await memory.put(ref, { content: 'The launch is in May.' })
const venue = await memory.put(ref, { content: 'The venue is the old harbour.' })

// The run begins: it remembers one number.
const runId = 'run-4711'
const { position } = await memory.snapshot()

// Meanwhile another writer moves the launch and deletes the venue.
await memory.revise(ref, date.id, { content: 'The launch is in September.' })
await memory.delete(ref, venue.id)
await memory.put(ref, { content: 'The venue is not decided.' })

// The run writes too. Its sequence counts its own steps.
await memory.put(ref, { content: 'Invitations for May are out.' }, { run: { runId, sequence: 0, nodeId: 'invite' } })

await show('Other readers see now:')
await show('The run reads, at its next step:', {
  run: { snapshot: position, own: [{ runId, beforeSequence: 1 }] },
})
await show('Later, "what did the run start from?":', { asOf: position })

await colophon.close()

// Prints:
// Other readers see now:
//   Invitations for May are out.
//   The venue is not decided.
//   The launch is in September.
// The run reads, at its next step:
//   Invitations for May are out.
//   The venue is the old harbour.
//   The launch is in May.
// Later, "what did the run start from?":
//   The venue is the old harbour.
//   The launch is in May.
