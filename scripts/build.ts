// Compiles the package into dist/, or into the folder that is named: the code, the migrations beside the code that
// reads them, the console.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { buildConsole } from './build-console.ts'

const out = process.argv[2] ?? 'dist'
// The console stays: it knows itself whether it is of these sources, and a server may be reading it.
for (const old of globSync(`${out}/*`, { exclude: [`${out}/console`] })) rmSync(old, { recursive: true, force: true })
const { status } = spawnSync('tsc', ['--project', 'tsconfig.build.json', '--outDir', out], { stdio: 'inherit' })
for (const adapter of ['sqlite', 'postgres']) {
  cpSync(`src/adapters/${adapter}/migrations`, `${out}/adapters/${adapter}/migrations`, { recursive: true })
}
await buildConsole()
if (out !== 'dist') cpSync('dist/console', `${out}/console`, { recursive: true })
process.exitCode = status ?? 1
