// Bundles the program and its packages into one folder. Loading some 900 files is most of a start, and the suites start
// the program several hundred times: from a bundle a start takes two thirds of the CPU.
import { globSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Packages with native code or files of their own, optional ones, and the one of which a process must have one copy. */
const external = [/^better-sqlite3/, /^pg/, /^@fastify\/swagger/, /^@energetic-ai/, /^@lat\.md/, /^@opentelemetry/]

export type BundledPrograms = {
  readonly main: string
  /** The process in which the suites run many commands of the program. */
  readonly cliWorker: string
  /** The folder of the programs that suites start as a second process, each under its file name. */
  readonly children: string
}

/** They read migrations, the console and package.json where the source reads them. */
export async function bundleProgram(): Promise<BundledPrograms> {
  const children = globSync(`${root}test/{crash,faults,forget,migrations,retention,search}/*-program.ts`)
  const bundle = await rolldown({
    input: {
      main: `${root}src/cli/main.ts`,
      'cli-worker': `${root}test/support/cli-worker-program.ts`,
      ...Object.fromEntries(children.map((path) => [`children/${basename(path, '.ts')}`, path])),
    },
    platform: 'node',
    external,
    plugins: [
      {
        name: 'source-paths',
        transform: (code, id) =>
          id.startsWith(`${root}src/`) ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id))) : null,
      },
    ],
  })
  const dir = `${root}node_modules/.cache/program`
  await bundle.write({ dir, format: 'esm', cleanDir: true })
  // Without it Node reads each file twice to find out that it is a module: a tenth of the CPU of a short command.
  writeFileSync(`${dir}/package.json`, '{"type": "module"}\n')
  return { main: `${dir}/main.js`, cliWorker: `${dir}/cli-worker.js`, children: `${dir}/children` }
}
