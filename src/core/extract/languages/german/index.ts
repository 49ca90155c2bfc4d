import type { Language } from '../../language.ts'
import { lowerFirst } from '../../text.ts'
import { clausesOf, normalise } from './clauses.ts'
import { germanRules } from './rules.ts'

export const german: Language = {
  name: 'german',
  abbreviations: new Set(['z.b', 'bzw', 'ca', 'dr', 'd.h', 'usw', 'u.a', 'str', 'nr', 'hr', 'fr', 'evtl', 'ggf']),
  ownLabels: /^(?:hinweis|info|notiz|update|korrektur|übrigens|wichtig|nachtrag|zur info|ps|über mich)$/i,
  quotedTextStart:
    /(?<!\p{L})(?:übersetze?|korrigiere?|formuliere?|fasse|verbessere?|schrieb|schreibt|sagte|sagt|meinte|mail von|nachricht von|zitat|beispiel|text)(?!\p{L})[^.!?:\n]{0,60}:(?:\s|$)|^am .{4,80}schrieb .{1,80}:/iu,
  promptInjection:
    /(?<!\p{L})(?:ignoriere?|vergiss|missachte|umgehe?|überschreibe?)(?!\p{L})[^.!?]{0,60}(?:anweisung|regel|vorgabe|richtlinie|prompt|instruktion)|ab jetzt bist du|du bist (?:jetzt|nun) |ich bin (?:der |dein )?(?:admin|administrator|root|systemverwalter)(?!\p{L})/iu,
  nonStatement:
    /^(?:wenn|falls|angenommen|stell dir vor|nehmen wir an|was wäre|ob) |^(?!ich |wir |mein)[^,]{0,80}(?:sagt|sagte|meint|meinte|schreibt|schrieb|behauptet),? /iu,
  retraction: /(?:^|[\s,])(?:nur spaß|war nur spaß|scherz|kleiner scherz|war ein witz)[\s.!]*$/iu,
  normalise,
  clausesOf,
  sentenceRules: [],
  clauseRules: germanRules,
  fallbackRules: [],
  mentionRules: [],
  corrections: [
    /^(?:nein,? |sorry,? |entschuldigung,? |quatsch,? )*nicht (?<from>[^,]{2,40}),? (?:sondern )?(?<to>[^,.!?]{2,40})[.!]*$/iu,
  ],
  questions: [
    { when: /\bwo (?:wohnst|lebst) du\b/i, toStatement: ({ text }) => `ich wohne in ${text}` },
    { when: /\bwie hei(?:ß|ss)t du\b/i, toStatement: ({ text }) => `ich heiße ${text}` },
    { when: /\bwo arbeitest du\b/i, toStatement: ({ text }) => `ich arbeite bei ${text}` },
    { when: /\bwoher kommst du\b/i, toStatement: ({ text }) => `ich komme aus ${text}` },
  ],
  readAnswer: (sentence) => {
    const text = sentence.replace(/^(?:in|bei|aus) /i, '').replace(/[.!]+$/, '')
    const isAnswer =
      /^\p{L}[\p{L}\p{M} .&-]{1,40}$/u.test(text) &&
      !/^(?:ich|das|keine|nein|ja|warum|was|wie|weiß|egal)(?!\p{L})/iu.test(text)
    return isAnswer ? { text, isYes: false, isNo: false } : null
  },
  lengthen: (content) => `Die Person ${lowerFirst(content)}`,
}
