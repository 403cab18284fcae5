"""What all records share: frozen, strict about unknown keys, sentences under each field."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen record; unknown keys are an error, so that a misspelt key is never silently lost."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="null")
