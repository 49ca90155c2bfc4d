import type { Language } from '../../language.ts'
import { lowerFirst } from '../../text.ts'
import { clausesOf } from './clauses.ts'
import { employment } from './employment.ts'
import { goals } from './goals.ts'
import { habitSentences, habits } from './habits.ts'
import { health, healthMentions } from './health.ts'
import { greeting, identity } from './identity.ts'
import { normalise } from './normalise.ts'
import { mentions, people } from './people.ts'
import { places } from './places.ts'
import { procedures } from './procedures.ts'
import { questions, readAnswer } from './questions.ts'
import { abbreviations, othersTextBegins, ownLabels, statesNothing, steersAssistant, takesBack } from './refusals.ts'
import { remembered } from './remembered.ts'
import { settings } from './settings.ts'
import { skills } from './skills.ts'
import { tastes } from './tastes.ts'
import { tools } from './tools.ts'

export const english: Language = {
  name: 'english',
  abbreviations,
  ownLabels,
  othersTextBegins,
  steersAssistant,
  statesNothing,
  takesBack,
  normalise,
  clausesOf,
  sentenceRules: [...habitSentences, ...procedures],
  // The special before the general: what fills a known slot is no mere taste, and a used tool is no habit.
  clauseRules: [
    ...health,
    ...people,
    ...places,
    ...settings,
    ...skills,
    ...tools,
    ...goals,
    ...habits,
    ...tastes,
    ...employment,
    ...identity,
  ],
  lastResorts: remembered,
  mentionRules: [...greeting, ...mentions, ...healthMentions],
  corrections: [
    /^(?:sorry,? |oops,? |no,? |actually,? |i mean,? |wait,? )*not (?<from>[^,]{2,40}?)(?:,? but|,) (?:it's |it is )?(?<to>[^,.!?]{2,40})[.!]*$/i,
    /^(?:sorry,? |oops,? |no,? |actually,? |wait,? )*(?:i mean(?:t)?,? |it's |it is |that's |should be |make that )*(?<to>[^,]{2,40}),? not (?<from>[^,.!?]{2,40})[.!]*$/i,
  ],
  questions,
  readAnswer,
  lengthen: (content) => `The user ${lowerFirst(content)}`,
}
