"""The records that the parts of the product exchange: frozen, validated, plain data. Nothing here does anything."""
