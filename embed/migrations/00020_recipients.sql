-- +goose Up

-- Whom the effect of an open or unknown call reaches: the phone of a message (G4). It is empty
-- once the outcome is known, since the message has it then.
ALTER TABLE calls ADD COLUMN recipient TEXT NOT NULL DEFAULT '';

PRAGMA user_version = 20;
