/** How the sets of documents were chosen, for the report: a reader must be able to judge what their figures are worth. */
export const documentsNote = `### How the sets of documents were chosen

The documents are sections of the READMEs, changelogs and guides of the installed packages, with questions made by a seeded program
(\`bench/recall/sets/documents.ts\`): some words of one passage, which no other section has in one passage. The settings were changed
four times before the ranking was fitted. The last, on which plain BM25 was weakest, was kept, and the weights of long texts were set on it.
Recall@10 of each setting before passages and length counted, in this order:

| sections | characters | words of the passage | the ranking then | plain BM25 |
|---|---|---|---|---|
| 1,200 | 300–12,000 | 3–5 | 0.953 | 0.980 |
| 2,500 | not recorded | 2–4 | 0.853 | 0.950 |
| 950 | 2,000–40,000 | 2–4 | 0.843 | 0.925 |
| 950 | 2,000–40,000 | 2–3 | 0.845 | 0.913 |
| 950 | 2,000–40,000 | 2–3, and a foreign word | 0.728 | 0.870 |

So the table above has two of the other settings too. The weights of the first ranking were not set on them, but their texts are the same; the second
ranking was fitted on all three. Recall@10 is 1.1 times that of plain BM25 on the first, which was the aim, and 1.01 to 1.07 times on the others, where
plain BM25 leaves no room for more than 1.08. The questions repeat words of one passage, and the ranking
looks for words in one passage: questions of people may gain less.

The conversations have the same texts and questions, with the sections as messages (\`bench/recall/sets/conversations.ts\`). The weights were not fitted on them; two thresholds were
chosen on them and on LoCoMo ([decision 115](decisions/0115-of-a-long-message-one-passage-counts.md)). Before, their recall@10 was 0.777 and 0.790.
`

/** What the figures of silence among long texts mean, for the report. */
export const longTextsNote = `\`auto\` leaves out some of what bears: "of" is recall@10 of the whole list. \`silent\` is the share of questions on which nothing bears that get
nothing. Each long text has some words of any question, so among them \`auto\` is silent only if the best of them is unlikely to bear. How those questions were made:

- \`documents\`: three words of different sections, of which no sentence has two. Each is asked with "What do the documents say about"; two words of one stored
  sentence and a foreign one, on which something bears, look nearly the same.
- \`packages\`: stores of 1 to several hundred sections or whole documents of half of the installed packages (\`bench/recall/sets/long-texts.ts\`). Half of the questions are made
  of 3 to 5 words of a stored passage, the others in the same five forms of a passage of the other packages: no stored sentence has more than half of
  their words. \`foreign\`: questions of LoCoMo and GateMem, put to these stores.
- \`sessions\`: each session of LoCoMo as one text, with its own questions, and with those about people whom no session names.
- \`mixed\`: the facts and questions of PrecisionMemBench, with 40 sections of documents in the same store.
`
