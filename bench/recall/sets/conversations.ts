import { type DocumentsSetting, documentsSettings, loadDocuments } from './documents.ts'
import type { RecallSet, Text } from './set.ts'

const exchangesPerConversation = 20
const charactersMax = 8_000
/** A shorter text is a message of the user, not an answer. */
const userCharactersMax = 900
const began = Date.UTC(2026, 0, 1)

/**
 * The documents of the other sets as messages of conversations between a user and an assistant: long answers, each after a short question, and
 * messages of all lengths. Nothing is fitted on them.
 */
export function loadConversations(packages: string): RecallSet[] {
  const [foreign, , short] = documentsSettings as [DocumentsSetting, DocumentsSetting, DocumentsSetting]
  const answers = loadDocuments(packages, cut(foreign, foreign.characters.min))
  const mixed = loadDocuments(packages, { ...cut(foreign, short.characters.min), sections: short.sections })
  return [
    toConversations(answers, 'messagesLong', 'Conversations with long answers, 2–3 words and a foreign one', true),
    toConversations(mixed, 'messagesMixed', 'Conversations of all lengths, 2–3 words and a foreign one', false),
  ]
}

function cut(setting: DocumentsSetting, min: number): DocumentsSetting {
  return { ...setting, characters: { min, max: charactersMax }, unanswered: 0 }
}

function toConversations(set: RecallSet, key: RecallSet['key'], name: string, hasQuestions: boolean): RecallSet {
  const texts = (set.scopes.get('documents') ?? []).flatMap(({ id, text }, at): Text[] => {
    const common = {
      observedAt: new Date(began + at * 60_000).toISOString(),
      session: `conversation ${Math.floor(at / exchangesPerConversation)}`,
    }
    const heading =
      /^#+ (.*)$/m
        .exec(text)?.[1]
        ?.replace(/[^\w ]/g, ' ')
        .slice(0, 60) ?? 'this'
    const question = { ...common, id: `question ${id}`, text: `user: Can you explain ${heading} to me?` }
    const speaker = !hasQuestions && text.length < userCharactersMax ? 'user' : 'assistant'
    const message = { ...common, id, text: `${speaker}: ${text}` }
    return hasQuestions ? [question, message] : [message]
  })
  return { ...set, key, name, scopes: new Map([['documents', texts]]) }
}
