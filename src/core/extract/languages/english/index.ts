import type { Language } from '../../language.ts'
import { lowerFirst } from '../../text.ts'
import { clausesOf } from './clauses.ts'
import { employment } from './employment.ts'
import {
  abbreviations,
  nonStatement,
  ownLabels,
  promptInjection,
  quotedTextStart,
  retraction,
} from './excluded-text.ts'
import { goals } from './goals.ts'
import { habitSentences, habits } from './habits.ts'
import { health, healthMentions } from './health.ts'
import { greeting, identity } from './identity.ts'
import { normalise } from './normalise.ts'
import { mentions, people } from './people.ts'
import { places } from './places.ts'
import { preferences } from './preferences.ts'
import { procedures } from './procedures.ts'
import { questions, readAnswer } from './questions.ts'
import { rememberRequests } from './remember-requests.ts'
import { skills } from './skills.ts'
import { tastes } from './tastes.ts'
import { tools } from './tools.ts'

export const english: Language = {
  name: 'english',
  abbreviations,
  ownLabels,
  quotedTextStart,
  promptInjection,
  nonStatement,
  retraction,
  normalise,
  clausesOf,
  sentenceRules: [...habitSentences, ...procedures],
  // Specific rules come before general ones: a value of a known slot is not only a taste, and a tool is not a habit.
  clauseRules: [
    ...health,
    ...people,
    ...places,
    ...preferences,
    ...skills,
    ...tools,
    ...goals,
    ...habits,
    ...tastes,
    ...employment,
    ...identity,
  ],
  fallbackRules: rememberRequests,
  mentionRules: [...greeting, ...mentions, ...healthMentions],
  corrections: [
    /^(?:sorry,? |oops,? |no,? |actually,? |i mean,? |wait,? )*not (?<from>[^,]{2,40}?)(?:,? but|,) (?:it's |it is )?(?<to>[^,.!?]{2,40})[.!]*$/i,
    /^(?:sorry,? |oops,? |no,? |actually,? |wait,? )*(?:i mean(?:t)?,? |it's |it is |that's |should be |make that )*(?<to>[^,]{2,40}),? not (?<from>[^,.!?]{2,40})[.!]*$/i,
  ],
  questions,
  readAnswer,
  lengthen: (content) => `The user ${lowerFirst(content)}`,
}
