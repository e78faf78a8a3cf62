return require "delassus.core"
