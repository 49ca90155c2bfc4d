// Compiles the package into dist/ and puts the migrations beside the code that reads them.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { stdio: 'inherit' })
for (const adapter of ['sqlite', 'postgres']) {
  cpSync(`src/adapters/${adapter}/migrations`, `dist/adapters/${adapter}/migrations`, { recursive: true })
}
process.exitCode = status ?? 1
