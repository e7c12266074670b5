// Checks cities and keeps the good ones in SQLite. Nothing in here knows Kiroku: it is an ordinary Worker module.
import { DatabaseSync } from 'node:sqlite'

let database

const open = (path) => {
  if (database !== undefined) return database
  database = new DatabaseSync(path)
  // Each batch is one transaction; the queue repeats what a power cut would lose.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(
    'CREATE TABLE IF NOT EXISTS cities (id TEXT PRIMARY KEY, name TEXT, country TEXT, admin1 TEXT, lat REAL, lng REAL)',
  )
  return database
}

/** What is wrong with a city, or undefined. */
const problem = ({ name, country, admin1, lat, lng }) => {
  if (typeof name !== 'string' || name === '') return 'name is empty'
  if (!/^[A-Z]{2}$/.test(country)) return `country "${country}" is not two letters`
  if (admin1 === '') return 'admin1 is empty'
  if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180)) return 'the place is not on Earth'
  return undefined
}

export default {
  async queue(batch, env) {
    const db = open(env.DATABASE)
    // The same message may come twice; its id makes the second time harmless.
    const insert = db.prepare('INSERT OR IGNORE INTO cities VALUES (?, ?, ?, ?, ?, ?)')
    db.exec('BEGIN')
    for (const message of batch.messages) {
      const city = message.body
      const reason = problem(city)
      if (reason === undefined)
        insert.run(message.id, city.name, city.country, city.admin1, Number(city.lat), Number(city.lng))
      else message.retry({ delaySeconds: 1, reason })
    }
    db.exec('COMMIT')
  },
}
