/** A text to be stored, in the order of its scope. */
export type Text = {
  readonly id: string
  readonly text: string
  readonly observedAt: string
  /** Texts of one session are consecutive messages of a conversation; null: the text stands alone. */
  readonly session: string | null
  /** The agent that it belongs to; a question may be put to one agent's texts only. */
  readonly agent?: string
  /** Stored, and never asked for: it counts in the statistics of the scope. */
  readonly isBackground?: boolean
}

export type RecallQuestion = {
  readonly id: string
  readonly scope: string
  readonly text: string
  /** The texts that bear on the question; none for a question that should get no answer. */
  readonly evidence: readonly string[]
  readonly category: string
  /** How many texts of the scope are stored when it is asked; all when omitted. */
  readonly known?: number
  /** Where its words are from; questions with the same source are in the same fold of a fit. The scope when omitted. */
  readonly source?: string
  /** Only texts of these agents. */
  readonly agents?: readonly string[]
}

/** One set of texts and questions. */
export type RecallSet = {
  readonly key:
    | 'locomo'
    | 'strangers'
    | 'precision'
    | 'gate'
    | 'documents'
    | 'documentsWords'
    | 'documentsShort'
    | 'packages'
    | 'sessions'
    | 'mixed'
    | 'messagesLong'
    | 'messagesMixed'
  readonly name: string
  readonly scopes: ReadonlyMap<string, readonly Text[]>
  readonly questions: readonly RecallQuestion[]
}
