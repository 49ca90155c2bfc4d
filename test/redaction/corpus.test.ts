import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scanForSecretPatterns } from '../../src/core/redaction/secret-patterns.ts'
import { buildCorpus, survives } from './corpus.ts'

const recallMin = 0.97
const falseAlarmsMax = 0.01
const seeds = [1, 2, 3]

const clean = (text: string) => scanForSecretPatterns(text, () => {})
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)} %`

for (const seed of seeds) {
  const corpus = buildCorpus(seed)

  test(`secrets of every kind are found (seed ${seed})`, (t) => {
    const missed = corpus.secrets.filter((planted) => survives(clean(planted.text), planted))
    const recall = 1 - missed.length / corpus.secrets.length
    const kinds = new Set(corpus.secrets.map(({ kind }) => kind)).size
    t.diagnostic(`recall ${percent(recall, 1)} of ${corpus.secrets.length} secrets of ${kinds} kinds`)
    for (const { kind, text } of missed) t.diagnostic(`missed ${kind}: ${JSON.stringify(text).slice(0, 160)}`)
    assert.ok(corpus.secrets.length >= 250 && kinds >= 90)
    assert.ok(recall >= recallMin, `recall ${recall}`)
  })

  test(`ordinary texts are not changed (seed ${seed})`, (t) => {
    const changed = corpus.benign.filter((text) => clean(text) !== text)
    const rate = changed.length / corpus.benign.length
    t.diagnostic(`false alarms ${percent(rate, 1)} of ${corpus.benign.length} texts`)
    for (const text of changed)
      t.diagnostic(`changed ${JSON.stringify(text).slice(0, 120)} -> ${JSON.stringify(clean(text)).slice(0, 120)}`)
    assert.ok(corpus.benign.length >= 600)
    assert.ok(rate <= falseAlarmsMax, `false alarms ${rate}`)
  })

  test(`a redacted text is not changed again (seed ${seed})`, () => {
    for (const { text } of corpus.secrets) {
      const once = clean(text)
      assert.equal(
        scanForSecretPatterns(once, (rule) => assert.fail(`${rule} in ${once}`)),
        once,
      )
    }
  })
}
