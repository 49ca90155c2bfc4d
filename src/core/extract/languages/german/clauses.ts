import type { Clause } from '../../language.ts'

const breaks =
  /(?:,? (?:und|aber|denn|weil|außerdem) |, |; | - )(?=(?:ich|wir|mein|meine|bitte|was|wie|wo|kannst|könntest)(?!\p{L}))/giu
const opener =
  /^(?:(?:hallo|hi|hey|also|übrigens|eigentlich|ja|nein|ach|na ja|naja|und|aber|merk dir|merke dir|bitte merk dir|denk daran|nur zur info|fyi|ok|okay|heute|inzwischen|mittlerweile|aktuell|entschuldigung|sorry)(?:,? dass)?[,:!]? +)/iu
const hedge = /^(?:vielleicht|ich glaube|ich denke|ich vermute|wahrscheinlich|vermutlich),? +/iu
const innerHedge = /^((?:ich|wir) \p{L}+) (?:vielleicht|wahrscheinlich|vermutlich|möglicherweise) +/iu
const emphasis =
  /^((?:ich|wir) \p{L}+) (?:wirklich|sehr gerne|sehr|echt|total|gerade|zurzeit|derzeit|jetzt|aktuell|momentan|eigentlich|auch|immer noch|noch|absolut|überhaupt) +/iu

export function normalise(sentence: string): string {
  return sentence.replace(/(?<!\p{L})heisse(?!\p{L})/giu, 'heiße').replace(/(?<!\p{L})heisst(?!\p{L})/giu, 'heißt')
}

export function clausesOf(sentence: string, isQuestion: boolean): readonly Clause[] {
  const parts = sentence.split(breaks).slice(0, 12)
  return parts.slice(0, isQuestion ? -1 : parts.length).map((part) => open(part.trim().slice(0, 300).toWellFormed()))
}

function open(clause: string): Clause {
  let text = clause
  let isHedged = false
  for (let layer = 0; layer < 10; layer++) {
    const opened = text.replace(opener, '')
    const plain = opened.replace(hedge, '').replace(innerHedge, '$1 ')
    if (plain !== opened) isHedged = true
    const next = plain.replace(emphasis, '$1 ')
    if (next === text) break
    text = next
  }
  return { text, isHedged }
}
