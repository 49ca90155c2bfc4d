import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/**
 * Checks the models in docs/models with Spin: every rule holds in every state, and each planted fault breaks its rule. A run of a fault has
 * only the assertions of its rule, so that no other rule can hide it.
 */

const root = join(import.meta.dirname, '..')
const compilers = ['cc', 'gcc', 'clang']

type Fault = { readonly name: string; readonly rule: string }
type Model = { readonly file: string; readonly text: string; readonly faults: readonly Fault[] }

function loadModels(): Model[] {
  return globSync('docs/models/*.pml', { cwd: root })
    .sort()
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const found = text.matchAll(/^ \* fault: (\w+) breaks (\S+)$/gm)
      return { file, text, faults: [...found].map(([, name = '', rule = '']) => ({ name, rule })) }
    })
}

/** Replaces the assertions of all rules but one. */
function only(text: string, rule: string): string {
  return text.replaceAll(/assert\(.*\) \/\* rule: (\S+) \*\//g, (line, named) => (named === rule ? line : 'skip'))
}

type Verdict = {
  readonly errors: number
  readonly states: number
  readonly isExhausted: boolean
  /** Assertions that no state reaches: they would hold whatever they say. */
  readonly unreached: readonly string[]
}

/** Makes a verifier of the model and runs it over every state. */
function search(text: string, defines: readonly string[], folder: string, compiler: string): Verdict {
  writeFileSync(join(folder, 'model.pml'), text)
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const
  execFileSync('spin', [...defines.map((name) => `-D${name}`), '-a', 'model.pml'], options)
  execFileSync(compiler, ['-O1', '-w', '-DSAFETY', '-o', 'pan', 'pan.c'], options)
  const output = execFileSync(join(folder, 'pan'), ['-m100000'], options)
  const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? Number.NaN)
  return {
    errors: number(/errors: (\d+)/),
    states: number(/([\d.e+]+) states, stored/),
    unreached: [...output.matchAll(/"(assert\(.*)"$/gm)].map(([, text = '']) => text),
    isExhausted: !/max search depth too small|out of memory|Search not completed/.test(output),
  }
}

function has(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined
}

function check(): boolean {
  const compiler = compilers.find(has)
  if (!has('spin') || compiler === undefined) {
    const missing = compiler === undefined ? 'A C compiler' : 'spin'
    process.stderr.write(
      `${missing} is missing. On Debian and Ubuntu: apt-get install spin gcc. On macOS: brew install spin. Or build it: https://spinroot.com\n`,
    )
    return false
  }
  const folder = mkdtempSync(join(tmpdir(), 'colophon-models-'))
  let isGood = true
  const report = (isSo: boolean, text: string) => {
    isGood &&= isSo
    process.stdout.write(`${isSo ? 'ok    ' : 'FAILED'} ${text}\n`)
  }
  try {
    for (const { file, text, faults } of loadModels()) {
      const name = basename(file, '.pml')
      const { errors, states, isExhausted, unreached } = search(text, [], folder, compiler)
      report(errors === 0 && isExhausted, `${name}: every rule holds in ${states} states`)
      for (const assertion of unreached) report(false, `${name}: no state reaches ${assertion}`)
      for (const fault of faults) {
        const found = search(only(text, fault.rule), [`FAULT_${fault.name}`], folder, compiler)
        report(found.errors > 0, `${name}: the fault ${fault.name} breaks ${fault.rule}`)
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return isGood
}

if (!check()) process.exitCode = 1
