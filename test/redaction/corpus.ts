import { benignTexts } from './benign.ts'
import { benignLines } from './benign-lines.ts'
import { createGenerator, fillLine } from './generator.ts'
import { framedSecrets, passwordSettings } from './password-settings.ts'
import { tokenKinds } from './secret-kinds.ts'
import { secretLines } from './secret-lines.ts'
import { namedKinds, namedSettings, type Planted, tokenSettings } from './secret-settings.ts'
import { urlSecrets } from './url-secrets.ts'

export type Corpus = { readonly secrets: readonly Planted[]; readonly benign: readonly string[] }

/** Built anew from a seed: another seed is another corpus of the same kinds. */
export function buildCorpus(seed: number): Corpus {
  const g = createGenerator(seed)
  const secrets: Planted[] = [...framedSecrets(g), ...urlSecrets(g)]
  let turn = g.below(100)
  const nextOf = <T>(items: readonly T[]): T => items[turn++ % items.length] as T
  for (const [kind, make] of Object.entries(tokenKinds)) {
    for (let i = 0; i < 3; i++) {
      const secret = make(g)
      secrets.push({ kind, secret, text: nextOf(tokenSettings)(secret) })
    }
  }
  for (const [kind, { names, make }] of Object.entries(namedKinds)) {
    for (const name of names) {
      const secret = make(g)
      secrets.push({ kind, secret, text: nextOf(namedSettings)(name, secret) })
    }
  }
  for (const [kind, write] of Object.entries(passwordSettings)) {
    for (let i = 0; i < 3; i++) {
      const secret = g.password()
      secrets.push({ kind: `password: ${kind}`, secret, text: write(secret) })
    }
  }
  for (const line of secretLines) {
    const { text, last } = fillLine(line, g)
    secrets.push({ kind: 'a line as people write it', secret: last, text })
  }
  return { secrets, benign: [...benignTexts(g), ...benignLines.map((line) => fillLine(line, g).text)] }
}

/** Found means that no longer piece of the secret can be read any more, in whatever form it was written. */
export function survives(clean: string, { text, secret }: Planted): boolean {
  const piece = Math.min(secret.length, Math.max(5, Math.ceil(secret.length / 3)))
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
    for (let at = 0; at + piece <= form.length; at++) {
      if (clean.includes(form.slice(at, at + piece))) return true
    }
  }
  return clean === text
}
