import { tallyFields } from '@kiroku/audit'

/** Version of the tables; an index of another version is rebuilt. */
export const schemaVersion = 8

/** In the place of a deleted subscription: the queue itself. */
export const wholeQueue = -1

const counts = tallyFields.map((field) => `${field} INTEGER NOT NULL`).join(', ')

/** The tables. Texts that repeat are kept once; times are ms of partition time. */
export const schema = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE reached(
  partition INTEGER PRIMARY KEY, seq INTEGER NOT NULL, at INTEGER NOT NULL, hash BLOB, events INTEGER NOT NULL,
  began INTEGER NOT NULL, known_from INTEGER NOT NULL
);
CREATE TABLE lost(partition INTEGER, seq INTEGER, up_to INTEGER);
CREATE TABLE queues(
  id INTEGER PRIMARY KEY, partition INTEGER NOT NULL, queue INTEGER NOT NULL, name TEXT NOT NULL,
  config TEXT NOT NULL, body_since INTEGER, bodies_left_out INTEGER, UNIQUE(partition, queue)
);
CREATE TABLE deleted(queue INTEGER NOT NULL, sub INTEGER NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY(queue, sub)) WITHOUT ROWID;
CREATE TABLE streams(
  id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, sub INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE(queue, sub)
);
CREATE TABLE texts(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, folded TEXT NOT NULL);
CREATE INDEX texts_folded ON texts(folded);
CREATE TABLE errors(
  id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, folded TEXT NOT NULL, fingerprint TEXT NOT NULL
);
CREATE INDEX errors_fingerprint ON errors(fingerprint);
CREATE TABLE messages(
  stream INTEGER NOT NULL, number INTEGER NOT NULL, state INTEGER NOT NULL, attempt INTEGER NOT NULL,
  at INTEGER NOT NULL, seq INTEGER NOT NULL, sent_at INTEGER NOT NULL, sent_seq INTEGER NOT NULL,
  reason INTEGER, error INTEGER, grp INTEGER, tag INTEGER, consumer INTEGER, producer INTEGER,
  attributes TEXT, origin TEXT, redrives INTEGER NOT NULL, next TEXT, passed INTEGER,
  PRIMARY KEY(stream, number)
) WITHOUT ROWID;
CREATE INDEX messages_at ON messages(at);
CREATE INDEX messages_state ON messages(state, at) WHERE state <> 5;
CREATE INDEX messages_error ON messages(error, at) WHERE error IS NOT NULL;
CREATE INDEX messages_grp ON messages(grp, at) WHERE grp IS NOT NULL;
CREATE INDEX messages_origin ON messages(origin) WHERE origin IS NOT NULL;
CREATE INDEX messages_next ON messages(next) WHERE next IS NOT NULL;
CREATE TABLE touches(queue INTEGER NOT NULL, bucket INTEGER NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY(queue, bucket, seq)) WITHOUT ROWID;
CREATE TABLE forwards(queue INTEGER NOT NULL, from_partition INTEGER NOT NULL, from_queue INTEGER NOT NULL,
  forward INTEGER NOT NULL, count INTEGER NOT NULL, first INTEGER NOT NULL,
  PRIMARY KEY(queue, from_partition, from_queue, forward)) WITHOUT ROWID;
CREATE TABLE fields(name INTEGER NOT NULL, value, queue INTEGER NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY(name, value, queue, number)) WITHOUT ROWID;
CREATE INDEX fields_of ON fields(queue, number);
CREATE TABLE acts(
  partition INTEGER NOT NULL, seq INTEGER NOT NULL, place INTEGER NOT NULL, at INTEGER NOT NULL,
  queue TEXT NOT NULL, actor TEXT NOT NULL, act TEXT NOT NULL, PRIMARY KEY(partition, seq, place)
) WITHOUT ROWID;
CREATE INDEX acts_at ON acts(at);
CREATE TABLE history(step INTEGER NOT NULL, queue INTEGER NOT NULL, slot INTEGER NOT NULL, seq INTEGER NOT NULL,
  ${counts}, PRIMARY KEY(step, queue, slot)) WITHOUT ROWID;
`
