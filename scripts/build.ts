// Compiles the package into dist/, or into the folder that is named: the code, the contract suite (`colophon/testing`),
// the migrations beside the code that reads them, the console. With --no-check it does not check types, for a caller that did.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildConsole } from './build-console.ts'
import { bundlePackage, typeEntries } from './bundle-package.ts'
import { pruneTypes } from './prune-types.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'no-check': { type: 'boolean', default: false } },
})
const [out = 'dist'] = positionals
const compiled = join(out, 'compiled')
const suite = join(compiled, 'test/contract/suite')

// The console stays: buildConsole replaces it only if its sources changed, and a server may be reading it.
for (const old of globSync(`${out}/*`, { exclude: [`${out}/console`] })) rmSync(old, { recursive: true, force: true })
const compile = ['--project', 'tsconfig.build.json', '--outDir', compiled, ...(values['no-check'] ? ['--noCheck'] : [])]
const { status } = spawnSync('tsc', compile, { stdio: 'inherit' })
for (const path of globSync(`${compiled}/src/*`)) renameSync(path, join(out, basename(path)))
// The suite lives with the tests, three folders below the root. In the package it lies beside the compiled src.
for (const file of globSync(`${suite}/*`)) {
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replaceAll("'../../../src/", "'../").replaceAll('"../../../src/', '"../'),
  )
}
renameSync(suite, join(out, 'testing'))
rmSync(compiled, { recursive: true })
for (const adapter of ['sqlite', 'postgres']) {
  cpSync(`src/adapters/${adapter}/migrations`, `${out}/adapters/${adapter}/migrations`, { recursive: true })
}
cpSync('src/adapters/postgres/schema.txt', `${out}/adapters/postgres/schema.txt`)
await bundlePackage(out)
pruneTypes(out, typeEntries)
await buildConsole()
if (out !== 'dist') cpSync('dist/console', `${out}/console`, { recursive: true })
process.exitCode = status ?? 1
