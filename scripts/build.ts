// Compiles the package into dist/: the code, the migrations beside the code that reads them, the console.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { buildConsole } from './build-console.ts'

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { stdio: 'inherit' })
for (const adapter of ['sqlite', 'postgres']) {
  cpSync(`src/adapters/${adapter}/migrations`, `dist/adapters/${adapter}/migrations`, { recursive: true })
}
await buildConsole()
process.exitCode = status ?? 1
