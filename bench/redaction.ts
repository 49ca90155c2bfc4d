// How fast texts are scanned for secrets: node bench/redaction.ts
// Nearly every text holds none, so that is what is measured.
import { pathToFileURL } from 'node:url'
import { createKnownValueScanner } from '../src/core/redaction/known-values.ts'
import type { Scanner } from '../src/core/redaction/scanner.ts'
import { combineScanners } from '../src/core/redaction/scanner.ts'
import { scanForSecretPatterns } from '../src/core/redaction/secret-patterns.ts'

export type RedactionSpeed = {
  readonly patternsMbPerSecond: number
  readonly knownValuesMbPerSecond: number
  readonly bothMbPerSecond: number
  readonly patternsUsPer300Characters: number
  readonly bothUsPer300Characters: number
  readonly buildKnownValuesMs: number
}

const knownValues = 2_000
const repeats = 2_000
const sentence =
  'Ada prefers tea over coffee, works from Berlin on Mondays and keeps her notes in one long file; she asked on 3 May ' +
  'whether the tokens of the new plan are counted per day, and Bob answered that the key account has its own limit. '

/** One megabyte of English and JSON, with words that trigger the slower checks of a scanner. */
export function benignText(): string {
  const record = JSON.stringify({
    id: '0198c0de-7a1b-7c2d-8e3f-0123456789ab',
    kind: 'note',
    max_tokens: 4096,
    text: sentence,
  })
  return `${sentence}\n${record}\n`.repeat(2_000).slice(0, 1_000_000)
}

export function measureRedaction(rounds = 15): RedactionSpeed {
  const text = benignText()
  const short = text.slice(0, 300)
  const started = performance.now()
  const known = createKnownValueScanner(makeValues())
  const buildKnownValuesMs = performance.now() - started
  const both = combineScanners(known, scanForSecretPatterns)
  const speed = (scan: Scanner) => text.length / medianMs(rounds, () => scan(text, unexpected)) / 1_000
  const shortUs = (scan: Scanner) => {
    const ms = medianMs(rounds, () => {
      for (let i = 0; i < repeats; i++) scan(short, unexpected)
    })
    return (ms / repeats) * 1_000
  }
  return {
    patternsMbPerSecond: speed(scanForSecretPatterns),
    knownValuesMbPerSecond: speed(known),
    bothMbPerSecond: speed(both),
    patternsUsPer300Characters: shortUs(scanForSecretPatterns),
    bothUsPer300Characters: shortUs(both),
    buildKnownValuesMs,
  }
}

function makeValues() {
  let state = 1
  const next = () => {
    state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647
    return state
  }
  return Array.from({ length: knownValues }, (_, at) => ({
    id: `secret-${at}`,
    value: Array.from({ length: 5 }, () => next().toString(36)).join(at % 2 ? '' : '/'),
  }))
}

function unexpected(rule: string): never {
  throw new Error(`The benign text was taken for a ${rule}.`)
}

function medianMs(rounds: number, work: () => void): number {
  for (let i = 0; i < 3; i++) work()
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now()
    work()
    return performance.now() - started
  })
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [name, value] of Object.entries(measureRedaction())) console.log(`${name.padEnd(36)} ${value.toFixed(2)}`)
}
