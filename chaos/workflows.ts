import { chain, gate, put } from '../test/server/runs-calls.ts'

/** The workflows of the load. Each writes a text that contains the name of its run, so that every entry is attributable. */

export const service = 'chaos'
export const scheduleId = 'chaos-pass'
export const runRef = 'runs-of-the-load'

const write = (id: string) => put(id, `${id} of {{inputs.name}}`, runRef)
const rest = (id: string) => ({ id, typeId: 'core.delay', config: { delayMs: 20 } })
const look = (id: string) => ({
  id,
  typeId: 'colophon.memory.list',
  config: { memoryRef: runRef, into: id, limit: 50 },
})

const longSteps = Array.from({ length: 40 }, (_, step) => `step-${step}`)
/** A read after each write must see it stored, so every step is a separate commit. */
const longStep = (id: string) => {
  const node = write(id)
  return { ...node, config: { ...node.config, into: 'last' } }
}

export const workflows = [
  chain('note', [write('first'), rest('rest'), look('seen'), write('second')]),
  chain('asks', [write('before'), gate('gate'), write('after'), look('seen')]),
  chain('long', longSteps.map(longStep)),
  chain('fails', [write('before'), { id: 'fail', typeId: 'core.fail' }]),
]

/** The nodes of a workflow that write, in their order. */
export const writersOf: Readonly<Record<string, readonly string[]>> = {
  note: ['first', 'second'],
  asks: ['before', 'after'],
  long: longSteps,
  fails: ['before'],
}

export const hookedEvents = ['run.started', 'memory.written', 'run.completed']

/** The receiver accepts requests here and never answers. */
export const poisonPath = '/never'
