/** Limits of the APIs of other products that this host serves: part of the table of limits. */
export const foreignApiLimits = {
  /** Memories of one subject, or subjects, that a list of the mem0 wire counts and pages. */
  mem0ListMax: 10_000,
  mem0PageMax: 1_000,
  mem0FilterDepthMax: 8,
  /** Conditions of a filter, and values in their lists: each is compared with every memory of the subject. */
  mem0FilterValuesMax: 200,
  /** Memories of a knowledge graph, and their characters: each of its tools reads the graph as a whole. */
  graphEntriesMax: 10_000,
  graphCharactersMax: 16 * 1_024 * 1_024,
} as const
