/** The limits of one workflow and of its evaluation, by name, with the unit last. */
export const workflowLimits = {
  definitionBytesMax: 1_048_576,
  /** Nesting of objects and arrays in a definition, in inputs and in resolved values. */
  nestingLevelsMax: 64,
  workflowIdCharactersMax: 128,
  nameCharactersMax: 256,
  versionCharactersMax: 128,
  labelCharactersMax: 256,
  notesCharactersMax: 65_536,
  nodesMax: 1_000,
  edgesMax: 5_000,
  variablesMax: 1_000,
  /** Workers that one decision of a supervisor names. */
  decisionWorkersMax: 100,
  workerIdCharactersMax: 256,
  /** Rules of a supervisor, conditions of a rule, and memory reads of a supervisor. */
  supervisorRulesMax: 100,
  ruleConditionsMax: 20,
  supervisorReadsMax: 10,
  /** The instructions of a supervisor with a model, with their templates. */
  supervisorPromptCharactersMax: 65_536,
  /** Keys in the approversList of one approval. */
  approversMax: 256,
  triggersMax: 100,
  groupsMax: 1_000,
  channelsMax: 200,
  channelVersionsMax: 1_000,
  channelAccessEntriesMax: 256,
  inheritedArtifactsMax: 1_000,
  metadataTagsMax: 100,
  nodeIdCharactersMax: 128,
  edgeIdCharactersMax: 128,
  typeIdCharactersMax: 256,
  variableNameCharactersMax: 128,
  portNameCharactersMax: 128,
  portsPerNodeMax: 200,
  agentIdCharactersMax: 256,
  agentMemoryRefCharactersMax: 256,
  agentVersionCharactersMax: 64,
  /** The left side of a condition: a path, or a text with templates. */
  conditionLeftCharactersMax: 1_000,
  /** A long pattern can take 30 ms to compile and 30 ms to run over a text, so both length and number are small. */
  patternCharactersMax: 500,
  regexConditionsMax: 50,
  /** Instructions of patterns times characters of texts while the next action of a run is decided: about 30 ms at worst. */
  patternStepsMax: 1_000_000,
  configurablePatternsMax: 50,
  configurableBytesMax: 65_536,
  configurableSubschemasMax: 1_000,
  /** Comparisons and characters while one configurable is checked. */
  configurableStepsMax: 1_000_000,
  /** Bytes of one value after its templates are resolved: a short text that repeats a large variable would fill memory. */
  resolvedBytesMax: 1_048_576,
} as const

export type WorkflowLimit = keyof typeof workflowLimits
