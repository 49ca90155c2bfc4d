// The other end of library-process.ts: opens the library of one adapter and answers calls.
import type { Library, LibraryPlace, Question, Reply } from './library-process.ts'

const [adapter = '', place = '{}'] = process.argv.slice(2)
const { open } = (await import(adapter)) as { open(place: LibraryPlace): Promise<Library> }
const library = await open(JSON.parse(place) as LibraryPlace)

process.on('disconnect', () => process.exit(0))
process.on('message', async ({ number, name, args }: Question) => {
  const reply = (answer: Omit<Reply, 'number'>) => process.send?.({ number, ...answer } satisfies Reply)
  try {
    const call = library[name as keyof Library] as (...given: readonly unknown[]) => Promise<unknown>
    reply({ value: await call.apply(library, [...args]) })
  } catch (error) {
    reply({ error: error instanceof Error ? error.message : String(error) })
  }
})
process.send?.({ names: Object.keys(library) })
